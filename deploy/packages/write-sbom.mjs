import { writeFileSync } from 'node:fs'
import { listNativePackages, NODES, readLock } from './program-folder.mjs'
import { SOURCE_DATE_EPOCH } from './run-tool.mjs'

/** Native parts for one system each. */
const NATIVE = /^@(koromix\/koffi|lydell\/node-pty)-/

/**
 * Writes what the packages contain, in the format CycloneDX 1.5: the agent with all that it imports, its native parts,
 * and Node for each system, with the hashes of the lock file. The same sources give the same file. `npm sbom` leaves
 * out what a dev dependency needs as well.
 */
export function writeSbom(file, version) {
  const lock = readLock()
  const natives = listNativePackages()
  const [components, dependencies] = [new Map(), []]
  const visit = (path) => {
    const { link, resolved, ...entry } = lock[path]
    if (link === true) return visit(resolved)
    const name = entry.name ?? path.split('node_modules/').at(-1)
    const ref = `${name}@${entry.version}`
    if (components.has(ref)) return ref
    components.set(ref, describeComponent({ ref, name, ...entry }))
    const dependsOn = Object.keys({ ...entry.dependencies, ...entry.optionalDependencies })
      .filter((other) => !NATIVE.test(other) || natives.has(other))
      .map((other) => visit(findPath(lock, path, other)))
    dependencies.push({ ref, dependsOn: dependsOn.toSorted() })
    return ref
  }
  const agent = visit('apps/agent')
  const main = components.get(agent)
  components.delete(agent)
  const nodes = Object.entries(NODES).map(([system, { name, ...pinned }]) => {
    const entry = pinned.version === undefined ? lock[`node_modules/${name}`] : { ...pinned, license: 'MIT' }
    const ref = `${name}@${entry.version}`
    const component = describeComponent({ ref, name, ...entry })
    components.set(ref, { ...component, type: 'application', description: `Node for ${system}` })
    dependencies.push({ ref, dependsOn: [] })
    return ref
  })
  dependencies.find(({ ref }) => ref === agent).dependsOn.push(...nodes.toSorted())
  const sbom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      timestamp: new Date(SOURCE_DATE_EPOCH * 1000).toISOString(),
      component: { ...main, type: 'application', version },
    },
    components: sortByRef([...components.values()], 'bom-ref'),
    dependencies: sortByRef(dependencies, 'ref'),
  }
  writeFileSync(file, `${JSON.stringify(sbom, null, 2)}\n`)
}

function describeComponent({ ref, name, version, license, integrity }) {
  const purl = `pkg:npm/${name.replace('@', '%40')}@${version}`
  return {
    'bom-ref': ref,
    type: 'library',
    name,
    version,
    purl,
    licenses: [{ license: { id: license ?? 'AGPL-3.0-or-later' } }],
    ...(integrity === undefined ? {} : { hashes: [decodeIntegrity(integrity)] }),
  }
}

/** The hash of npm's archive, `sha512-` and base64. */
function decodeIntegrity(integrity) {
  return { alg: 'SHA-512', content: Buffer.from(integrity.replace('sha512-', ''), 'base64').toString('hex') }
}

/** The nearest folder with this package, as Node finds it. */
function findPath(lock, from, name) {
  for (let folder = from; ; folder = folder.slice(0, Math.max(0, folder.lastIndexOf('/')))) {
    const path = folder === '' ? `node_modules/${name}` : `${folder}/node_modules/${name}`
    if (lock[path] !== undefined) return path
    if (folder === '') throw new Error(`package-lock.json does not name ${name}, which ${from} needs.`)
  }
}

function sortByRef(list, key) {
  return list.toSorted((one, other) => (one[key] < other[key] ? -1 : 1))
}
