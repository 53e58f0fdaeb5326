// Builds what is older than its sources: the console (Vite, with .br and .gz beside each asset) and the agent (one
// file with everything inside). Runs on Node 24: `node deploy/build.mjs [console] [agent]`, all when none is named.
//
// A build goes into a folder of its own, gets its stamp last, and is then renamed: an interrupted build
// leaves the former one, or none, and never half of one. Two builds at once end with the later of two whole ones.
import {
  existsSync,
  mkdirSync,
  readFileSync,
  readdirSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { lazySchemas } from './lazy-schemas.mjs'
import { root } from './node24.mjs'
import { hashSources, isFresh, stampFile, targets } from './sources.mjs'
import { layTerminalModule } from './terminal-module.mjs'

// Also when a test runner builds: its NODE_ENV would bundle the libraries' development halves.
process.env.NODE_ENV = 'production'

const builders = { console: buildConsole, agent: buildAgent }
/** V8 keeps the text of a program: 1.9 MB less. Functions keep their names, for the stacks in logs. */
const SHORT = { compress: false, mangle: { keepNames: true }, codegen: { removeWhitespace: true } }
const ABANDONED_AFTER_MS = 60 * 60 * 1000

const names = process.argv.slice(2)
for (const target of targets) {
  if (names.length > 0 && !names.includes(target.name)) continue
  if (isFresh(target)) continue
  const startedMs = Date.now()
  try {
    await buildTarget(target)
  } catch (error) {
    console.error(
      `muster: the ${target.name} could not be built: ${error instanceof Error ? error.message : String(error)}`,
    )
    process.exit(1)
  }
  console.log(`Built the ${target.name} in ${((Date.now() - startedMs) / 1000).toFixed(1)} s`)
}

async function buildTarget(target) {
  const dist = join(root, target.dist)
  const parent = dirname(dist)
  removeAbandoned(parent)
  const fresh = join(parent, `.dist-new-${process.pid}`)
  const stale = join(parent, `.dist-old-${process.pid}`)
  // Before the build: an edit made meanwhile must lead to another one.
  const stamp = hashSources(target.inputs)
  try {
    mkdirSync(fresh, { recursive: true })
    await builders[target.name](fresh)
    writeFileSync(stampFile(fresh), stamp)
    if (existsSync(dist)) renameSync(dist, stale)
    renameSync(fresh, dist)
  } finally {
    rmSync(fresh, { recursive: true, force: true })
    rmSync(stale, { recursive: true, force: true })
  }
}

async function buildConsole(outDir) {
  const { build } = await import('vite')
  await build({
    root: join(root, 'apps/console'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: true },
  })
  await build({
    root: join(root, 'apps/console'),
    configFile: join(root, 'apps/console/vite.api-docs.config.ts'),
    logLevel: 'warn',
    build: { outDir, emptyOutDir: false },
  })
  await compressFolder(outDir)
}

async function buildAgent(outDir) {
  const { build } = await import('rolldown')
  await build({
    input: join(root, 'apps/agent/src/main.ts'),
    platform: 'node',
    // Optional parts of ws and systeminformation, and a module for Windows, all imported inside try.
    external: ['bufferutil', 'utf-8-validate', 'osx-temperature-sensor', 'koffi'],
    logLevel: 'warn',
    plugins: [lazySchemas(join(root, 'apps/agent/src/cli/schema-settings.ts'))],
    // A schema that nothing parses with is left out.
    treeshake: { manualPureFunctions: ['z'] },
    output: { file: join(outDir, 'agent.mjs'), format: 'esm', codeSplitting: false, minify: SHORT },
  })
  escapeNonAscii(join(outDir, 'agent.mjs'))
  await build({
    input: join(root, 'apps/agent/src/update/launcher.ts'),
    platform: 'node',
    logLevel: 'warn',
    output: { file: join(outDir, 'muster-agent.mjs'), format: 'esm', codeSplitting: false, minify: SHORT },
  })
  const agent = JSON.parse(readFileSync(join(root, 'apps/agent/package.json'), 'utf8'))
  writeFileSync(
    join(outDir, 'version.json'),
    `${JSON.stringify({ version: agent.version, node: agent.oldest_node })}\n`,
  )
  for (const arch of ['x64', 'arm64']) layTerminalModule(arch, join(outDir, 'pty'))
}

/** For the same reason: V8 takes two bytes for each character if one of them is not Latin, which were 1.3 MB. */
function escapeNonAscii(file) {
  const escape = (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`
  writeFileSync(file, readFileSync(file, 'utf8').replaceAll(/[\u0080-\uffff]/g, escape))
}

/** Writes .br and .gz beside every text file where they are smaller, at the highest levels: it happens once. */
async function compressFolder(folder) {
  const files = readdirSync(folder, { recursive: true, encoding: 'utf8' })
    .map((name) => join(folder, name))
    .filter((file) => /\.(html|js|css|svg|json|txt|map)$/.test(file) && statSync(file).isFile())
  await Promise.all(
    files.map(async (file) => {
      const bytes = readFileSync(file)
      const [br, gz] = await Promise.all([
        promisify(brotliCompress)(bytes, { params: { [constants.BROTLI_PARAM_SIZE_HINT]: bytes.length } }),
        promisify(gzip)(bytes, { level: 9 }),
      ])
      if (br.length < bytes.length) writeFileSync(`${file}.br`, br)
      if (gz.length < bytes.length) writeFileSync(`${file}.gz`, gz)
    }),
  )
}

function removeAbandoned(parent) {
  for (const name of readdirSync(parent)) {
    if (!/^\.dist-(new|old)-\d+$/.test(name)) continue
    const folder = join(parent, name)
    if (Date.now() - statSync(folder).mtimeMs > ABANDONED_AFTER_MS)
      rmSync(folder, { recursive: true, force: true })
  }
}
