import { expect, test } from 'vitest'
import { findLinuxUser, parsePasswd } from './users.ts'

test('a user is found by the exact name', async () => {
  await expect(findLinuxUser('root')).resolves.toMatchObject({ uid: 0, gid: 0 })
  await expect(findLinuxUser('roo')).resolves.toBeUndefined()
})

test.each(['', '-x', 'a b', 'a:b', 'a/b', 'a\nb', 'x'.repeat(500)])('%j is no user', async (name) => {
  await expect(findLinuxUser(name)).resolves.toBeUndefined()
})

test('missing home and shell have defaults', () => {
  expect(parsePasswd('svc:x:120:130:::\n', 'svc')).toEqual({
    name: 'svc',
    uid: 120,
    gid: 130,
    home: '/',
    shell: '/bin/sh',
  })
})
