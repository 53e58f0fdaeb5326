import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  completeParameters,
  findDeclarationProblem,
  findValueProblem,
  PARAMETER_TYPES,
  readParameters,
  type ScriptParameter,
  writeParameters,
} from './script-parameters.ts'

const parameter = (given: Partial<ScriptParameter>): ScriptParameter => ({
  name: 'Folder',
  type: 'text',
  description: '',
  required: false,
  default: '',
  choices: [],
  ...given,
})

test.each<[Partial<ScriptParameter>, string, string | undefined]>([
  [{ type: 'text' }, `it's "5 o'clock" $(date); & more`, undefined],
  [{ type: 'text', required: true }, '', 'Folder needs a value.'],
  [{ type: 'number' }, '-12.5', undefined],
  [{ type: 'number' }, '1e9', 'Folder needs a number, such as 10 or -0.5.'],
  [{ type: 'number' }, '5; rm -rf /', 'Folder needs a number, such as 10 or -0.5.'],
  [{ type: 'boolean' }, 'yes', 'Folder must be true or false.'],
  [{ type: 'choice', choices: ['a', 'b'] }, 'c', 'Folder must be one of: a, b.'],
  [{ type: 'secret' }, 'hunter2', 'Folder needs a key of the key store.'],
  [{ type: 'secret' }, '{{global.DB password}}', undefined],
])('%o with %s', (given, value, problem) => {
  expect(findValueProblem(parameter(given), value)).toBe(problem)
})

test('defaults are added, values without one are not set, and other variables stay', () => {
  const parameters = [
    parameter({ name: 'Days', type: 'number', default: '30' }),
    parameter({ name: 'note' }),
    parameter({ name: 'Mode', type: 'choice', choices: ['fast', 'safe'], default: 'safe' }),
  ]
  expect(completeParameters(parameters, ['A=1', 'MUSTER_PARAM_MODE=fast', 'MUSTER_PARAM_NOTE='])).toEqual({
    env_vars: ['A=1', 'MUSTER_PARAM_DAYS=30', 'MUSTER_PARAM_MODE=fast'],
    problems: [],
  })
  expect(completeParameters(parameters, ['MUSTER_PARAM_DAYS=soon']).problems).toEqual([
    { name: 'Days', sentence: 'Days needs a number, such as 10 or -0.5.' },
  ])
})

test.each<[Partial<ScriptParameter>[], string | undefined]>([
  [[{ name: 'a' }, { name: 'b' }], undefined],
  [[{ name: 'a' }, { name: 'A' }], 'There is another parameter named A.'],
  [[{ name: 'a', type: 'choice' }], 'a needs at least one choice.'],
  [[{ name: 'a', type: 'secret', default: '{{global.X}}' }], 'a is secret and has no default.'],
  [[{ name: 'a', type: 'number', default: 'many' }], 'a needs a number, such as 10 or -0.5.'],
])('declared: %o', (given, sentence) => {
  expect(findDeclarationProblem(given.map(parameter))?.sentence).toBe(sentence)
})

test('whatever the values are, they are read as they were written', () => {
  const names = fc.uniqueArray(fc.stringMatching(/^[A-Za-z][A-Za-z0-9_]{0,8}$/), {
    maxLength: 4,
    selector: (name) => name.toUpperCase(),
  })
  fc.assert(
    fc.property(names, fc.array(fc.string(), { minLength: 4, maxLength: 4 }), (all, texts) => {
      const parameters = all.map((name, i) => parameter({ name, type: PARAMETER_TYPES[i % 5] ?? 'text' }))
      const values = new Map(all.map((name, i) => [name, texts[i] ?? '']))
      const others = ['PATH=/bin', 'X=MUSTER_PARAM_Y=1']
      const env_vars = writeParameters(parameters, { values, others })
      expect(readParameters(parameters, env_vars)).toEqual({ values, others })
    }),
  )
})
