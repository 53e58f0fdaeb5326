// Builds packages of the agent, on Linux. `npm run packages` builds all of them into dist/packages, with packages.json,
// which servers read, SHA256SUMS and an SBOM; --platform, --arch and --format leave others out.
// `node deploy/packages.mjs --platform windows --arch x64 --format msi --out DIR` builds one and prints JSON lines:
// {"progress":"..."}, and last {"file","sha256","bytes","signed"}, or {"error":"..."} with exit code 1.
import { createHash } from 'node:crypto'
import {
  createReadStream,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { basename, join, resolve } from 'node:path'
import { parseArgs } from 'node:util'
import { findNode, root } from './node24.mjs'
import { buildDeb, buildRpm } from './packages/build-linux.mjs'
import { buildMacArchive } from './packages/build-macos.mjs'
import { buildMsi } from './packages/build-msi.mjs'
import { layProgramFolder } from './packages/program-folder.mjs'
import { PackageError, runTool } from './packages/run-tool.mjs'
import { writeSbom } from './packages/write-sbom.mjs'
import { stampFile } from './sources.mjs'

const SBOM = 'sbom.cdx.json'

const BUILDERS = {
  windows: { msi: buildMsi },
  linux: { deb: buildDeb, rpm: buildRpm },
  macos: { 'tar.xz': buildMacArchive },
}
const ARCHES = ['x64', 'arm64']

const { values } = parseArgs({
  options: {
    platform: { type: 'string' },
    arch: { type: 'string' },
    format: { type: 'string' },
    out: { type: 'string', default: join(root, 'dist/packages') },
    all: { type: 'boolean' },
    // Larger packages in less time, for tests.
    fast: { type: 'boolean', default: false },
    // A small program in place of Node, for tests.
    node: { type: 'string' },
  },
})

try {
  const out = resolve(values.out)
  mkdirSync(out, { recursive: true })
  if (values.all) await buildAll({ ...values, out })
  else {
    buildAgent()
    print(await buildPackage({ ...values, out }))
  }
} catch (error) {
  if (!(error instanceof PackageError)) console.error(error)
  print({ error: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
}

async function buildAll(options) {
  const { out } = options
  const version = readAgentVersion()
  const sources = buildAgent()
  const packages = []
  for (const { platform, arch, format } of listPackages(options)) {
    const result = await buildPackage({ ...options, platform, arch, format })
    print(result)
    const { file, ...rest } = result
    // The name that the server has for macOS.
    packages.push({
      platform: platform === 'macos' ? 'darwin' : platform,
      arch,
      format,
      file: basename(file),
      ...rest,
    })
  }
  if (buildAgent() !== sources) throw new PackageError('Sources of the agent changed meanwhile. Build again.')
  writeSbom(join(out, SBOM), version)
  const hashes = packages.map(({ file, sha256 }) => [sha256, file])
  hashes.push([await hashFile(join(out, SBOM)), SBOM])
  writeFileSync(join(out, 'SHA256SUMS'), hashes.map(([sha256, file]) => `${sha256}  ${file}\n`).join(''))
  // Last: servers use the packages that it names.
  const index = { agent: `${version}-${sources.slice(0, 12)}`, packages }
  writeFileSync(join(out, 'packages.json'), `${JSON.stringify(index, null, 2)}\n`)
}

function listPackages({ platform, arch, format }) {
  const all = Object.entries(BUILDERS).flatMap(([system, formats]) =>
    ARCHES.flatMap((processor) =>
      Object.keys(formats).map((kind) => ({ platform: system, arch: processor, format: kind })),
    ),
  )
  return all.filter(
    (one) =>
      [undefined, one.platform].includes(platform) &&
      [undefined, one.arch].includes(arch) &&
      [undefined, one.format].includes(format),
  )
}

/** Builds the agent, unless it is current. Returns the hash of its sources. */
function buildAgent() {
  print({ progress: 'Building the agent' })
  runTool(findNode(), [join(root, 'deploy/build.mjs'), 'agent'])
  return readFileSync(stampFile(join(root, 'apps/agent/dist')), 'utf8')
}

async function buildPackage({ platform, arch, format, out, fast, node }) {
  const build = BUILDERS[platform]?.[format]
  if (build === undefined || !ARCHES.includes(arch))
    throw new PackageError(
      `There is no package for --platform ${platform} --arch ${arch} --format ${format}.`,
    )
  const version = process.env.MUSTER_PACKAGE_VERSION ?? readAgentVersion()
  const scratch = mkdtempSync(join(out, '.build-'))
  try {
    const folder = join(scratch, 'program')
    const onProgress = (progress) => print({ progress })
    await layProgramFolder({ platform, arch, folder, node, onProgress })
    print({ progress: `Building the ${format} package` })
    const draft = join(scratch, `package.${format}`)
    const { signed } = await build({ arch, version, folder, scratch, fast, file: draft })
    const file = join(out, `muster-agent-${version}-${platform}-${arch}.${format}`)
    renameSync(draft, file)
    return { file, sha256: await hashFile(file), bytes: statSync(file).size, signed }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

async function hashFile(file) {
  const hash = createHash('sha256')
  for await (const part of createReadStream(file)) hash.update(part)
  return hash.digest('hex')
}

function print(line) {
  process.stdout.write(`${JSON.stringify(line)}\n`)
}

function readAgentVersion() {
  return JSON.parse(readFileSync(join(root, 'apps/agent/package.json'), 'utf8')).version
}
