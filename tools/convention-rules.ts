import { z } from 'zod'
import type { SourceFile } from './source-files.ts'

/** The house rules that no lint rule covers. Each returns the violations, as lines with the name of the file. */

const MAX_LINES = 500
const MAX_DECISION_LINES = 60
const CODE = /\.(ts|tsx|mjs|js|css)$/
const TEST_FILE = /\.(test|story)\.tsx?$/
const TEST_CODE =
  /\.(test|story)\.tsx?$|\/test-[\w-]+\.tsx?$|\/testing\/|^e2e\/(faults|service|support|windows)\//
const PROGRAM = /^(server|console|agent|rules|contract|fake-agent)\//
const PROJECT_FOLDER = /^(apps|packages|e2e|docs|deploy|tools)\//
const TOP_FOLDERS = ['apps', 'packages', 'e2e', 'docs', 'deploy', 'tools', '.ci', '.vscode', '.idea']

export function findMissingFeatures(files: SourceFile[]): string[] {
  const nouns = files.flatMap(({ path }) => {
    const noun = /^packages\/contract\/src\/api\/([\w-]+)\.ts$/.exec(path)?.[1]
    return noun === undefined ? [] : [noun]
  })
  const folders = new Set(
    files.flatMap(({ path }) => {
      const folder = /^apps\/server\/src\/features\/(.+)\/[^/]+$/.exec(path)?.[1]
      return folder === undefined ? [] : nounsOf(folder)
    }),
  )
  return nouns
    .filter((noun) => !folders.has(noun))
    .map((noun) => `packages/contract/src/api/${noun}.ts has no folder in apps/server/src/features`)
}

/** The nouns of `alerts/channels`: `channels` and `alert-channels`. */
function nounsOf(folder: string): string[] {
  const [last = '', parent = ''] = folder.split('/').toReversed()
  return [last, `${parent}-${last}`, `${parent.replace(/s$/, '')}-${last}`]
}

export function findWronglyMounted(files: SourceFile[]): string[] {
  const mounts = files
    .filter(({ path }) => path.startsWith('apps/server/src/') && !TEST_FILE.test(path))
    .flatMap(({ text }) => [...text.matchAll(/\broute\(\s*\w+,\s*(\w+)\s*,/g)].map(([, name]) => name))
  return files
    .filter(({ path }) => path.startsWith('packages/contract/src/api/'))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/^export const (\w+) = endpoint\(/gm)].map(([, name]) => ({ path, name })),
    )
    .map((endpoint) => ({ ...endpoint, count: mounts.filter((mounted) => mounted === endpoint.name).length }))
    .filter(({ count }) => count !== 1)
    .map(({ path, name, count }) => `${path}: ${name} is mounted ${count} times, not once`)
}

export function findLongFiles(files: SourceFile[]): string[] {
  return files
    .filter(({ path }) => CODE.test(path))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - (text.endsWith('\n') ? 1 : 0) }))
    .filter(({ lines }) => lines > MAX_LINES)
    .map(({ path, lines }) => `${path} has ${lines} lines, more than ${MAX_LINES}`)
}

export function findUnknownTopFolders(folders: string[]): string[] {
  return folders
    .filter((folder) => !TOP_FOLDERS.includes(folder))
    .map((folder) => `${folder}/ is no known top folder (${TOP_FOLDERS.join(', ')})`)
}

/** A file is imported where it stands; one that only passes on others hides where that is. */
export function findBarrels(files: SourceFile[]): string[] {
  return findLines(files, CODE, /^export\s+(type\s+)?(\*|\{[^}]*\})(\s+as\s+\w+)?\s+from\b/, 're-exports')
}

export function findSkippedTests(files: SourceFile[]): string[] {
  const pattern = /\b(test|it|describe|bench)(\.\w+)*\.(skip|only|todo|fixme|skipIf|runIf|fails)\b/
  return findLines(files, TEST_FILE, pattern, 'leaves tests out')
}

/** Literal limits of waits and of whole tests. Below 100 ms the limit itself is what is tested. */
export function findImpatientTests(files: SourceFile[]): string[] {
  const option = /[,(=] \{ (?:intervals?: [^,]+, )?timeout(?:Ms)?: [\d_]{3,}(?:, intervals?: [^}]+)? \}/
  const argument = /^\s*\}, [\d_]{3,}\)$/
  const constant = /\bconst \w*PATIEN\w* = [\d_]+/
  const pattern = new RegExp([option, argument, constant].map(({ source }) => source).join('|'))
  const tests = files.filter(({ path }) => path !== 'tools/patience.ts')
  return findLines(tests, TEST_CODE, pattern, 'has a limit of its own: tools/patience.ts')
}

export function findOpenMarks(files: SourceFile[]): string[] {
  // Written apart, or this line would be found.
  const marks = [`TO${'DO'}(?!\\(#\\d+\\))`, `FIX${'ME'}`, `X${'XX'}`, `HA${'CK'}`].join('|')
  return findLines(files, CODE, new RegExp(`\\b(${marks})\\b`), 'has a mark without an issue number')
}

export function findDefaultExports(files: SourceFile[]): string[] {
  const code = files.filter(({ path }) => !path.endsWith('.config.ts'))
  return findLines(code, CODE, /^export\s+default\b|\bas default\s*[,}]/, 'has a default export')
}

/** Constants that the specification names: declared once under their name and imported everywhere else. */
export const SPEC_CONSTANTS = {
  NOTIFICATION_PRESETS: /= \{[^}]*'bottom', timeoutMs: 5000 \}[^}]*'top', timeoutMs: 2000 \}/,
  THRESHOLD_MESSAGE_MS: /= 2000\b/,
  TREE_SPLITTER_DEFAULT: /= 20\b/,
  HEADER_PX: /= 50\b/,
  MENU_BAR_PX: /= 40\b/,
  TABS_AND_SEARCH_PX: /= 78\b/,
  TAB_STRIP_PX: /= 37\b/,
  DEFAULT_TREE_SORT: /= 'alphafail'/,
  DEFAULT_DATE_FORMAT: /= 'MMM-DD-YYYY - HH:mm'/,
  TREE_RELOAD_DELAY_MS: /= 150\b/,
  REMINDER_MINUTE: /= 35\b/,
  ICON_SIZES_PX: /= \{ xs: 18, sm: 24, md: 32, lg: 38, xl: 46 \}/,
  LOADING_DELAY_MS: /= 50\b/,
  LOADING_BAR_PX: /= 4\b/,
  HEARTBEAT_MESSAGE: /= 'ping'/,
}

export function findWrongConstants(files: SourceFile[]): string[] {
  const sources = files.filter(
    ({ path }) => /^(apps|packages)\/.*\.tsx?$/.test(path) && !TEST_FILE.test(path),
  )
  return Object.entries(SPEC_CONSTANTS).flatMap(([name, value]) => {
    const declaration = `\\bconst ${name}\\b(?:: \\w+)? `
    const homes = sources.filter(({ text }) => new RegExp(declaration).test(text))
    if (homes.length !== 1) return [`${name} is declared in ${homes.length} files, not in one`]
    return homes
      .filter(({ text }) => !new RegExp(declaration + value.source).test(text))
      .map(({ path }) => `${path}: ${name} has not the value of the specification`)
  })
}

/** A record of `docs/decisions` begins with its own number, its status and its date. Details belong beside the code. */
export function findBadDecisions(files: SourceFile[]): string[] {
  const records = files.flatMap(({ path, text }) => {
    const number = /^docs\/decisions\/(\d{4})-/.exec(path)?.[1]
    return number === undefined ? [] : [{ path, text, number: Number(number) }]
  })
  return records.flatMap(({ path, text, number }) => {
    const head = /^# (\d+)\. .+\n\nStatus: (accepted|superseded by \d+), \d{4}-\d\d-\d\d\n\n/.exec(text)
    return [
      ...(Number(head?.[1]) === number
        ? []
        : [`${path} does not begin with "# ${number}. Title" and "Status: accepted, 2026-11-21"`]),
      ...(records.some((other) => other.number === number && other.path < path)
        ? [`${path} has the number of another record`]
        : []),
      ...(text.split('\n').length > MAX_DECISION_LINES + 1
        ? [`${path} has more than ${MAX_DECISION_LINES} lines`]
        : []),
    ]
  })
}

/** Paths that documents name and that do not exist. `agent/run/runs.ts` stands for a file in the sources of the agent. */
export function findMissingPaths(files: SourceFile[]): string[] {
  const paths = files.map(({ path }) => path)
  const folders = new Set(
    paths.flatMap((path) => [...path.matchAll(/\//g)].map(({ index }) => path.slice(0, index))),
  )
  const exists = (path: string) =>
    folders.has(path) || paths.some((one) => one === path || one.endsWith(`/${path.replace(PROGRAM, '')}`))
  return files
    .filter(({ path }) => /^(docs\/.*|[A-Z]+)\.md$/.test(path))
    .flatMap(({ path, text }) =>
      [...text.matchAll(/[\w@.-]+(?:\/[\w.-]*\w)+/g)]
        .map(([name]) => name)
        .filter(
          (name) => /\.(ts|tsx|mjs|md)$/.test(name) || (PROJECT_FOLDER.test(name) && !/\.\w+$/.test(name)),
        )
        .filter((name) => !exists(name))
        .map((name) => `${path} names ${name}, which does not exist`),
    )
}

/** Folders of one developer's machine and names that only resolve in one company. Ada is the person of examples. */
export function findPrivatePaths(files: SourceFile[]): string[] {
  const folder = /(^|[\s"'`(=:])(\/(work|workspace|root|(home|Users)\/(?!ada\b)\w+)\/\w|[A-Z]:\\+Users\\)/
  const host = /\/\/[\w.-]+\.(internal|intranet|corp|lan)\b|^\s*(@\w+:)?registry\s*=/
  return [
    ...findLines(files, /./, folder, "names a folder of a developer's machine"),
    ...findLines(files, /./, host, 'names a private host'),
  ]
}

export function findResolvedUrls(lockText: string): string[] {
  return [...lockText.matchAll(/"resolved": "(\w+:\/\/[^"]*)"/g)].map(
    ([, url]) => `package-lock.json names the registry: ${url}`,
  )
}

/**
 * `npm ci` refuses a lock file that lacks packages for other platforms, which `npm install` leaves out where the
 * registry at hand does not have them.
 */
export function findMissingLockEntries(lockText: string): string[] {
  const { packages } = Lock.parse(JSON.parse(lockText))
  return Object.entries(packages).flatMap(([path, { optionalDependencies = {} }]) =>
    Object.keys(optionalDependencies)
      .filter((name) => !(`node_modules/${name}` in packages || `${path}/node_modules/${name}` in packages))
      .map((name) => `package-lock.json has no entry for ${name}, which ${path} may need elsewhere`),
  )
}

/** Without a hash npm installs any file of the registry. */
export function findUnhashedLockEntries(lockText: string): string[] {
  const { packages } = Lock.parse(JSON.parse(lockText))
  return Object.entries(packages)
    .filter(([path, entry]) => /(^|\/)node_modules\//.test(path) && entry.link !== true)
    .filter(([, { integrity }]) => integrity?.startsWith('sha512-') !== true)
    .map(([path]) => `package-lock.json has no hash (integrity) for ${path}`)
}

const Lock = z.object({
  packages: z.record(
    z.string(),
    z.object({
      optionalDependencies: z.record(z.string(), z.string()).optional(),
      integrity: z.string().optional(),
      link: z.boolean().optional(),
    }),
  ),
})

function findLines(files: SourceFile[], names: RegExp, pattern: RegExp, problem: string): string[] {
  return files
    .filter(({ path }) => names.test(path))
    .flatMap(({ path, text }) =>
      text
        .split('\n')
        .flatMap((line, index) => (pattern.test(line) ? [`${path}:${index + 1} ${problem}`] : [])),
    )
}
