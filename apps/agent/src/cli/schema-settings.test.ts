import { types } from 'node:util'
import { commands } from '@muster/contract/agent/commands'
import { Report } from '@muster/contract/agent/link'
import { z } from 'zod'
import { expect, test } from 'vitest'
import { lazySchema } from './schema-settings.ts'

test('a lazy schema is created once, on first use, and behaves like the schema', () => {
  let created = 0
  const Name = lazySchema(() => {
    created++
    return z.string().max(3)
  })
  const Machine = z.object({ name: Name, tags: z.array(Name).optional() })
  expect(created).toBe(0)
  expect(Machine.parse({ name: 'pc', tags: ['a'] })).toEqual({ name: 'pc', tags: ['a'] })
  expect(z.prettifyError(Machine.safeParse({ name: 'pc-12' }).error!)).toBe(
    '✖ Too big: expected string to have <=3 characters\n  → at name',
  )
  expect(Name.nullable().parse(null)).toBeNull()
  expect(Name).toBeInstanceOf(z.ZodString)
  expect(created).toBe(1)
})

test('the schemas of the contract are lazy in the agent', () => {
  expect([Report, commands['run-command'], commands['open-channel']].every(types.isProxy)).toBe(true)
})
