import type { FileRight } from '@muster/contract/agent/files'
import { expect, test } from 'vitest'
import { nameRights } from './windows-rights.ts'

test.each<[string, number, FileRight[]]>([
  ['full control', 0x1f_01ff, ['full']],
  ['full control, generic', 0x1000_0000, ['full']],
  ['modify', 0x13_01bf, ['modify']],
  ['read and execute', 0x12_00a9, ['read-execute']],
  ['read and execute, generic', 0xa000_0000, ['read-execute']],
  ['read', 0x12_0089, ['read']],
  ['read and write', 0x12_019f, ['read', 'write']],
  ['write', 0x10_0116, ['write']],
  ['read, and delete', 0x13_0089, ['read', 'special']],
  ['only append', 0x4, ['special']],
])('an access mask is named as Windows does: %s', (_, mask, rights) => {
  expect(nameRights(mask)).toEqual(rights)
})
