import { linux } from './linux.ts'
import { macos } from './macos.ts'
import type { Os } from './os.ts'
import { windows } from './windows.ts'

export const os: Os = chooseOs(process.platform)

function chooseOs(platform: NodeJS.Platform): Os {
  if (platform === 'win32') return windows
  if (platform === 'darwin') return macos
  // Other systems that Node supports have /proc or fail with a clear message.
  return linux
}
