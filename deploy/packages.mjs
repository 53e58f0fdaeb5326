// Builds packages of the agent, on Linux: `npm run packages` builds all of them into dist/packages, with SHA256SUMS and
// an SBOM. `node deploy/packages.mjs --platform windows --arch x64 --format msi --out DIR` builds one and prints JSON
// lines: {"progress":"..."}, and last {"file","sha256","bytes","signed"}, or {"error":"..."} with exit code 1.
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
import { PackageError, runTool, SOURCE_DATE_EPOCH } from './packages/run-tool.mjs'

const BUILDERS = {
  windows: { msi: buildMsi },
  linux: { deb: buildDeb, rpm: buildRpm },
  // xz is smaller; gzip is for machines without it.
  macos: { 'tar.xz': buildMacArchive, 'tar.gz': buildMacArchive },
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
  },
})

try {
  const out = resolve(values.out)
  mkdirSync(out, { recursive: true })
  if (values.all) await buildAll(out)
  else print(await buildPackage({ ...values, out }))
} catch (error) {
  if (!(error instanceof PackageError)) console.error(error)
  print({ error: error instanceof Error ? error.message : String(error) })
  process.exitCode = 1
}

async function buildAll(out) {
  const built = []
  for (const [platform, formats] of Object.entries(BUILDERS))
    for (const arch of ARCHES)
      for (const format of Object.keys(formats)) {
        const result = await buildPackage({ platform, arch, format, out })
        print(result)
        built.push(result)
      }
  writeSbom(join(out, 'sbom.cdx.json'))
  const lines = built.map(({ file, sha256 }) => `${sha256}  ${basename(file)}\n`)
  writeFileSync(join(out, 'SHA256SUMS'), lines.join(''))
}

async function buildPackage({ platform, arch, format, out, fast = false }) {
  const build = BUILDERS[platform]?.[format]
  if (build === undefined || !ARCHES.includes(arch))
    throw new PackageError(
      `There is no package for --platform ${platform} --arch ${arch} --format ${format}.`,
    )
  const version = process.env.MUSTER_PACKAGE_VERSION ?? readAgentVersion()
  const scratch = mkdtempSync(join(out, '.build-'))
  try {
    print({ progress: 'Building the agent' })
    runTool(findNode(), [join(root, 'deploy/build.mjs'), 'agent'])
    const folder = join(scratch, 'program')
    await layProgramFolder({ platform, arch, folder, onProgress: (progress) => print({ progress }) })
    print({ progress: `Building the ${format} package` })
    const draft = join(scratch, `package.${format}`)
    const { signed } = await build({ arch, version, folder, scratch, format, fast, file: draft })
    const file = join(out, `muster-agent-${version}-${platform}-${arch}.${format}`)
    renameSync(draft, file)
    return { file, sha256: await hashFile(file), bytes: statSync(file).size, signed }
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Packages that are part of the agent or the server, from the lock file. Nothing in it changes between two runs. */
function writeSbom(file) {
  const args = ['sbom', '--sbom-format', 'cyclonedx', '--package-lock-only', '--omit', 'dev']
  const sbom = JSON.parse(runTool('npm', args, { cwd: root }))
  delete sbom.serialNumber
  sbom.metadata.timestamp = new Date(SOURCE_DATE_EPOCH * 1000).toISOString()
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
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
