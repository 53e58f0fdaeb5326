import { describe, expect, test } from 'vitest'
import * as rules from './convention-rules.ts'
import type { SourceFile } from './source-files.ts'

// Samples of what is forbidden are put together here, so that the rules do not find them in this file.
const SKIP = `test.${'skip'}`
const MARK = `TO${'DO'}`
const file = (path: string, text = ''): SourceFile => ({ path, text })

describe('limits of tests', () => {
  const find = (text: string, path = 'apps/agent/src/a.test.ts') =>
    rules.findImpatientTests([file(path, text)])
  const OPTION = `timeout: 5${'000'}`

  test.each([
    `  await vi.waitFor(() => expect(a).toBe(1), { ${OPTION} })`,
    `  await expect.poll(read, { interval: 20, ${OPTION} }).toBe(1)`,
    `const SOON = { ${OPTION}, interval: 10 }`,
    `  },${' 5000'})`,
    `const PATIENCE_MS${' = '}5000`,
  ])('%s is found', (text) => {
    expect(find(text)).toEqual(['apps/agent/src/a.test.ts:1 has a limit of its own: tools/patience.ts'])
    expect(find(text, 'apps/agent/src/a.ts')).toEqual([])
  })

  test.each([
    '  await vi.waitFor(() => expect(a).toBe(1), { timeout: LONG_PATIENCE_MS })',
    '  const script = { name: "a", timeout: 300 }',
    '  await expect(call({ timeoutMs: 30 })).rejects.toThrow()',
  ])('%s is fine', (text) => {
    expect(find(text)).toEqual([])
  })
})

describe('nouns', () => {
  const noun = file('packages/contract/src/api/scripts.ts')

  test('a noun without a folder is found', () => {
    expect(rules.findMissingFeatures([noun])).toHaveLength(1)
  })

  test('a noun with a folder is fine', () => {
    expect(rules.findMissingFeatures([noun, file('apps/server/src/features/scripts/routes.ts')])).toEqual([])
  })

  test('a folder inside the folder of its parent is fine', () => {
    const channels = file('packages/contract/src/api/alert-channels.ts')
    expect(
      rules.findMissingFeatures([channels, file('apps/server/src/features/alerts/channels/routes.ts')]),
    ).toEqual([])
  })

  test('a folder whose name only begins alike does not count', () => {
    expect(
      rules.findMissingFeatures([noun, file('apps/server/src/features/scripts-old/routes.ts')]),
    ).toHaveLength(1)
  })
})

describe('endpoints', () => {
  const contract = file('packages/contract/src/api/scripts.ts', 'export const listScripts = endpoint({\n})')
  const routes = (text: string) => file('apps/server/src/features/scripts/routes.ts', text)

  test('one that is not mounted is found', () => {
    expect(rules.findWronglyMounted([contract, routes('// listScripts')])).toEqual([
      'packages/contract/src/api/scripts.ts: listScripts is mounted 0 times, not once',
    ])
  })

  test('one that is mounted twice is found', () => {
    const text = 'route(api, listScripts, async () => [])\nroute(api, listScripts, async () => [])'
    expect(rules.findWronglyMounted([contract, routes(text)])).toHaveLength(1)
  })

  test('a test that mounts it does not count', () => {
    const testFile = file('apps/server/src/features/scripts/a.test.ts', 'route(api, listScripts, f)')
    expect(rules.findWronglyMounted([contract, testFile])).toHaveLength(1)
  })

  test('one that is mounted over several lines is fine', () => {
    expect(
      rules.findWronglyMounted([contract, routes('route(\n  api,\n  listScripts,\n  answer,\n)')]),
    ).toEqual([])
  })

  test('a longer name is another endpoint', () => {
    expect(rules.findWronglyMounted([contract, routes('route(api, listScriptsOld, f)')])).toHaveLength(1)
  })
})

describe('files', () => {
  test.each([
    [500, 0],
    [501, 1],
  ])('%i lines give %i problems', (lines, problems) => {
    expect(rules.findLongFiles([file('apps/a.ts', 'x\n'.repeat(lines))])).toHaveLength(problems)
  })

  test('the lock file may be long', () => {
    expect(rules.findLongFiles([file('package-lock.json', 'x\n'.repeat(5000))])).toEqual([])
  })

  test('a folder at the top that nobody knows is found', () => {
    expect(rules.findUnknownTopFolders(['apps', 'packages', 'utils'])).toHaveLength(1)
  })

  test.each([
    "export * from './a.ts'",
    "export * as a from './a.ts'",
    "export { a } from './a.ts'",
    "export type { A } from './a.ts'",
  ])('%s is a barrel', (text) => {
    expect(rules.findBarrels([file('apps/index.ts', text)])).toHaveLength(1)
  })

  test('a file of that name with something of its own is none', () => {
    expect(
      rules.findBarrels([file('apps/index.ts', "import { a } from './a.ts'\nexport const b = [a]")]),
    ).toEqual([])
  })

  test.each([`${'export'} default function a() {}`, `${'export'} default 3`, `export { a as ${'default'} }`])(
    '%s is found',
    (text) => {
      expect(rules.findDefaultExports([file('apps/a.ts', text)])).toHaveLength(1)
    },
  )

  test('a config file may have a default export', () => {
    expect(rules.findDefaultExports([file('vite.config.ts', 'export default {}')])).toEqual([])
  })
})

describe('marks', () => {
  test.each([
    `${SKIP}('a', () => {})`,
    `  test.describe.${'only'}('a', () => {})`,
    `it.${'todo'}('a')`,
    `test.${'skipIf'}(true)('a', f)`,
  ])('%s is a test that is left out', (text) => {
    expect(rules.findSkippedTests([file('apps/a.test.ts', text)])).toHaveLength(1)
    expect(rules.findSkippedTests([file('e2e/stories/a.story.ts', text)])).toHaveLength(1)
  })

  test('a field named like that is fine', () => {
    expect(rules.findSkippedTests([file('apps/a.test.ts', 'stream.skip(3); latest.only()')])).toEqual([])
  })

  test.each([`// ${MARK}: later`, `// ${MARK}(ada): later`, `// FIX${'ME'} later`])('%s is found', (text) => {
    expect(rules.findOpenMarks([file('apps/a.ts', text)])).toHaveLength(1)
  })

  test('a mark with its issue is fine', () => {
    expect(rules.findOpenMarks([file('apps/a.ts', `// ${MARK}(#12): later`)])).toEqual([])
  })
})

describe('constants', () => {
  const right = file(
    'packages/rules/src/all.ts',
    `export const NOTIFICATION_PRESETS = { base: { position: 'bottom', timeoutMs: 5000 }, feedback: { position: 'top', timeoutMs: 2000 } }
export const THRESHOLD_MESSAGE_MS = 2000
export const TREE_SPLITTER_DEFAULT = 20
export const HEADER_PX = 50
export const MENU_BAR_PX = 40
export const TABS_AND_SEARCH_PX = 78
export const TAB_STRIP_PX = 37
export const DEFAULT_TREE_SORT: TreeSort = 'alphafail'
export const DEFAULT_DATE_FORMAT = 'MMM-DD-YYYY - HH:mm'
export const TREE_RELOAD_DELAY_MS = 150
export const REMINDER_MINUTE = 35
export const ICON_SIZES_PX = { xs: 18, sm: 24, md: 32, lg: 38, xl: 46 } as const
export const LOADING_DELAY_MS = 50
export const LOADING_BAR_PX = 4
export const HEARTBEAT_MESSAGE = 'ping'
`,
  )

  test('each once with its value is fine', () => {
    expect(rules.findWrongConstants([right])).toEqual([])
  })

  test('a second declaration is found', () => {
    const second = file('apps/console/src/a.ts', 'const HEADER_PX = 50')
    expect(rules.findWrongConstants([right, second])).toEqual([
      'HEADER_PX is declared in 2 files, not in one',
    ])
  })

  test('another value is found', () => {
    const wrong = file(right.path, right.text.replace('HEADER_PX = 50', 'HEADER_PX = 500'))
    expect(rules.findWrongConstants([wrong])).toEqual([
      'packages/rules/src/all.ts: HEADER_PX has not the value of the specification',
    ])
  })

  test('a missing one is found', () => {
    expect(rules.findWrongConstants([])).toHaveLength(Object.keys(rules.SPEC_CONSTANTS).length)
  })
})

describe('lock file', () => {
  const lockOf = (packages: object) => JSON.stringify({ packages })
  const tool = { optionalDependencies: { 'tool-linux': '1.0.0' } }

  test('a package without a hash is found, a development tool for another platform too', () => {
    const hash = { integrity: 'sha512-AAAA' }
    const lock = lockOf({
      '': {},
      'apps/server': {},
      'node_modules/@muster/server': { link: true },
      'node_modules/good': hash,
      'node_modules/bare': {},
      'node_modules/good/node_modules/weak': { integrity: 'sha1-AAAA' },
      'apps/server/node_modules/own': {},
      'node_modules/tool-mac': { optionalDependencies: {} },
    })
    expect(rules.findUnhashedLockEntries(lock)).toEqual(
      [
        'node_modules/bare',
        'node_modules/good/node_modules/weak',
        'apps/server/node_modules/own',
        'node_modules/tool-mac',
      ].map((path) => `package-lock.json has no hash (integrity) for ${path}`),
    )
  })

  test('a package for another platform that is missing is found', () => {
    expect(rules.findMissingLockEntries(lockOf({ 'node_modules/tool': tool }))).toEqual([
      'package-lock.json has no entry for tool-linux, which node_modules/tool may need elsewhere',
    ])
  })

  test.each(['node_modules/tool-linux', 'node_modules/tool/node_modules/tool-linux'])(
    '%s is enough',
    (path) => {
      const lock = lockOf({ 'node_modules/tool': tool, [path]: { version: '1.0.0' } })
      expect(rules.findMissingLockEntries(lock)).toEqual([])
    },
  )
})

describe('private places', () => {
  test.each([
    `cd /${'home'}/grace/project`,
    `const file = '/${'Users'}/grace/a.ts'`,
    `path: "C:\\\\${'Users'}\\\\ada"`,
    `fetch('https://npm.ada.${'internal'}/x')`,
    `${'registry'}=https://npm.example.org/`,
  ])('%s is found', (text) => {
    expect(rules.findPrivatePaths([file('docs/a.md', text)])).toHaveLength(1)
  })

  test('ordinary folders and addresses are fine', () => {
    const text =
      "'/usr/bin/chromium' '/etc/passwd' 'https://example.org/home/ada' '/agents/:id/' '/home/ada/agent'"
    expect(rules.findPrivatePaths([file('docs/a.md', text)])).toEqual([])
  })

  test('a registry in the lock file is found, a workspace is not', () => {
    expect(rules.findResolvedUrls('"resolved": "https://registry.example.org/a.tgz"')).toHaveLength(1)
    expect(rules.findResolvedUrls('"resolved": "apps/agent"')).toEqual([])
  })
})

describe('documents', () => {
  test.each([
    ['# 1. Title\n\nStatus: accepted, 2026-11-21\n\nWhy.\n', 0],
    ['# 1. Title\n\nStatus: superseded by 12, 2026-11-21\n\nWhy.\n', 0],
    ['# 1. Title\n\nWhy.\n', 1],
    [`# 1. Title\n\nStatus: accepted, 2026-11-21\n\n${'Why.\n'.repeat(60)}`, 1],
  ])('%j has %i problems', (text, count) => {
    expect(rules.findBadDecisions([file('docs/decisions/0001-a.md', text)])).toHaveLength(count)
  })

  test('a record with the number of another one is found', () => {
    const text = '# 1. Title\n\nStatus: accepted, 2026-11-21\n\nWhy.\n'
    const records = ['docs/decisions/0001-a.md', 'docs/decisions/0001-b.md', 'docs/decisions/0002-c.md']
    expect(rules.findBadDecisions(records.map((path) => file(path, text)))).toEqual([
      'docs/decisions/0001-b.md has the number of another record',
      'docs/decisions/0002-c.md does not begin with "# 2. Title" and "Status: accepted, 2026-11-21"',
    ])
  })

  test('a path that does not exist is found', () => {
    const code = file('apps/agent/src/run/runs.ts')
    const found = (text: string) => rules.findMissingPaths([code, file('docs/protocol.md', text)])
    for (const path of ['apps/agent/src/run/runs.ts', 'apps/agent/src', 'agent/run/runs.ts', 'run/runs.ts'])
      expect(found(`See \`${path}\`.`)).toEqual([])
    expect(found('A text/html page, /ws/live/ and docs/screenshot.png')).toEqual([])
    expect(found('See `agent/run/gone.ts` and apps/gone/src.')).toEqual([
      'docs/protocol.md names agent/run/gone.ts, which does not exist',
      'docs/protocol.md names apps/gone/src, which does not exist',
    ])
  })
})
