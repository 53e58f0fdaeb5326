import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  describeMissing,
  expandSnippets,
  fillCall,
  fillText,
  findVariables,
  formatFieldValue,
  type FindValue,
} from './script-variables.ts'

const VALUES: Record<string, string> = {
  'agent.hostname': 'web 01',
  'client.Contract number': '7; rm -rf /',
  'site.x': '{{global.KEY}}',
  'global.KEY': 's3cret',
  'global.EMPTY': '',
}
const findValue: FindValue = ({ scope, name }) => {
  const text = VALUES[`${scope}.${name}`]
  return text === undefined ? undefined : { text, isSecret: scope === 'global' }
}

test.each<[string, string, string]>([
  ['no variable', 'plain', 'plain'],
  ['a whole one', '{{agent.hostname}}', 'web 01'],
  ['several in one argument', '{{agent.hostname}}:{{client.Contract number}}', 'web 01:7; rm -rf /'],
  ['spaces inside', '{{ agent.hostname }}', 'web 01'],
  ['a name with spaces', '--c={{client.Contract number}}', '--c=7; rm -rf /'],
  ['a value that looks like one', '{{site.x}}', '{{global.KEY}}'],
  ['an empty value', '[{{global.EMPTY}}]', '[]'],
  ['braces of others', '{{.Names}} {{ range .Items }}', '{{.Names}} {{ range .Items }}'],
  ['one brace too many', '{{{agent.hostname}}}', '{web 01}'],
  ['half a variable', '{{agent.hostname', '{{agent.hostname'],
])('%s: %s', (_what, text, expected) => {
  const filled = fillText(text, findValue)
  expect(filled.text).toBe(expected)
  expect(filled.missing).toEqual([])
})

test('secrets are hidden in displayed text, and named separately', () => {
  expect(fillText('--key={{global.KEY}} on {{agent.hostname}}', findValue)).toEqual({
    text: '--key=s3cret on web 01',
    shown: '--key=•••••• on web 01',
    missing: [],
    secrets: ['s3cret'],
  })
})

test('variables without a value are named once, as they are written', () => {
  const filled = fillCall(
    { args: ['{{agent.colour}}', '{{agent.colour}}{{global.NONE}}'], env_vars: ['A={{alert.x}}'] },
    findValue,
  )
  expect(filled.missing).toEqual(['{{agent.colour}}', '{{global.NONE}}', '{{alert.x}}'])
  expect(describeMissing(filled.missing, 'PC-1')).toBe(
    '{{agent.colour}}, {{global.NONE}} and {{alert.x}} have no value for PC-1. Check the name or set a value.',
  )
  expect(describeMissing(['{{agent.colour}}'], 'PC-1')).toMatch(/^\{\{agent.colour\}\} has no value/)
  expect(describeMissing([], 'PC-1')).toBeUndefined()
})

test('the environment: values are filled in, names are not, a second "=" stays', () => {
  const { env_vars, shown, secrets } = fillCall(
    { args: [], env_vars: ['KEY={{global.KEY}}=x', 'HOST={{agent.hostname}}'] },
    findValue,
  )
  expect(env_vars).toEqual(['KEY=s3cret=x', 'HOST=web 01'])
  expect(shown.env_vars).toEqual(['KEY=••••••=x', 'HOST=web 01'])
  expect(secrets).toEqual(['s3cret'])
})

test('whatever the values are, the number of arguments stays, and so does all text around variables', () => {
  const part = fc.string().filter((text) => !/[{}]/.test(text))
  fc.assert(
    fc.property(fc.array(fc.tuple(part, fc.string(), part)), (parts) => {
      const args = parts.map(([before, , after], index) => `${before}{{agent.v${index}}}${after}`)
      const filled = fillCall({ args, env_vars: [] }, ({ name }) => ({
        text: parts[Number(name.slice(1))]?.[1] ?? '',
        isSecret: true,
      }))
      expect(filled.args).toEqual(parts.map(([before, value, after]) => before + value + after))
      expect(filled.shown.args).toEqual(parts.map(([before, , after]) => `${before}••••••${after}`))
    }),
  )
})

test('a text without variables is never changed', () => {
  fc.assert(
    fc.property(fc.string(), (text) => {
      if (findVariables(text).length === 0) expect(fillText(text, () => undefined).text).toBe(text)
    }),
  )
})

test.each([
  [true, 'powershell', '$True'],
  [false, 'powershell', '$False'],
  [true, 'shell', '1'],
  [false, 'python', '0'],
  [['a', 'b'], 'shell', 'a,b'],
  ['x', 'cmd', 'x'],
] as const)('a field of %j is an argument of %s as %s', (value, shell, expected) => {
  expect(formatFieldValue(value, shell)).toBe(expected)
})

test('snippets are inserted once and unchanged; other braces stay', () => {
  const snippets: Record<string, string> = { log: 'echo "$1" # {{log}}', 'set up': 'set -e $&' }
  expect(expandSnippets('{{ set up }}\n{{log}}\n{{.Names}} {{other}}', (name) => snippets[name])).toBe(
    'set -e $&\necho "$1" # {{log}}\n{{.Names}} {{other}}',
  )
})
