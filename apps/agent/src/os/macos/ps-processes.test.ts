import { expect, test } from 'vitest'
import { parsePsRunProcesses } from '../macos.ts'

const ps = `
    1     0     1 Ss   /sbin/launchd
  500     1   500 Ss   bash -c work HOME=/ MUSTER_RUN=abc USER=x
  501   500   500 S    sleep 5 MUSTER_RUN=abc
  502   501   502 S    child of a child
  503     1   503 S    setsid'ed HOME=/ MUSTER_RUN=abc
  504     1   504 S    another run MUSTER_RUN=abcd
  505   500   500 Z    (gone)
`

test('processes of a run are found by group, parent and mark', () => {
  expect(new Set(parsePsRunProcesses(ps, 500, 'abc'))).toEqual(new Set([500, 501, 502, 503]))
  expect(parsePsRunProcesses(ps, 0, 'abcd')).toEqual([504])
  expect(parsePsRunProcesses(ps, 0, 'none')).toEqual([])
})
