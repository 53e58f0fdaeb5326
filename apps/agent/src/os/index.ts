import { linux } from './linux.ts'
import { macos } from './macos.ts'
import type { Os } from './os.ts'
import { windows } from './windows.ts'

/** The operating system that this process runs on. */
export const os: Os = chooseOs(process.platform)

function chooseOs(platform: NodeJS.Platform): Os {
  if (platform === 'win32') return windows
  if (platform === 'darwin') return macos
  // Every other system that Node runs on has /proc or is near enough to say clearly what is missing.
  return linux
}
