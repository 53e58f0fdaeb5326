import { expect, test } from 'vitest'
import { MeasureError } from '../errors.ts'
import { givenPrograms } from '../testing/given-programs.ts'
import { givenRoot } from '../testing/given-root.ts'
import {
  describeInput,
  describeRules,
  readAccessControl,
  readLinuxSecurity,
  readRootEncryption,
  readTpms,
} from './linux/security.ts'
import { parseFileVault, parseFirewall, parseGatekeeper, parseIntegrity } from './macos/security.ts'
import { readProtections } from './security.ts'
import { decodeNumber, describeVolume } from './windows/bitlocker.ts'
import { encodeGuid } from './windows/com.ts'
import { decodeTpm, describeDefender, describeProduct } from './windows/security.ts'

test('a source that fails or finds nothing says so, and the others are read', async () => {
  const found = await readProtections([
    { subject: 'tpm', name: 'TPM', read: async () => [{ name: 'TPM 2.0', state: 'on', detail: '' }] },
    { subject: 'antivirus', name: 'Antivirus', read: async () => [] },
    {
      subject: 'firewall',
      name: 'Firewall',
      read: async () => {
        throw new MeasureError('nft is not installed on this machine.')
      },
    },
    {
      subject: 'disk_encryption',
      name: '/',
      read: async () => {
        throw new TypeError('no such field')
      },
    },
  ])
  expect(found.map(({ subject, state, detail }) => [subject, state, detail])).toEqual([
    ['tpm', 'on', ''],
    ['antivirus', 'unknown', 'The system lists none.'],
    ['firewall', 'unknown', 'nft is not installed on this machine.'],
    ['disk_encryption', 'unknown', 'The agent failed to read it: no such field'],
  ])
})

test('antivirus products of Windows: on, outdated, snoozed, expired, off', () => {
  expect(
    [
      [0, 1],
      [0, undefined],
      [0, 0],
      [1, 0],
      [2, 1],
      [3, 1],
      [9, 1],
    ].map(([state = 0, signatures]) => {
      const { state: shown, detail } = describeProduct('Acme', state, signatures)
      return `${shown} ${detail}`.trim()
    }),
  ).toEqual([
    'on',
    'on',
    'attention signatures out of date',
    'off',
    'attention snoozed',
    'attention licence expired',
    'unknown Windows reports state 9.',
  ])
  expect(describeDefender(4, false)).toMatchObject({ state: 'on' })
  expect(describeDefender(4, true)).toMatchObject({ state: 'attention' })
  expect(describeDefender(1, false)).toMatchObject({ state: 'off' })
})

test('BitLocker of a volume from the property of the shell', () => {
  const variant = (type: number, value: number) => {
    const buffer = Buffer.alloc(24)
    buffer.writeUInt16LE(type)
    buffer.writeInt32LE(value, 8)
    return decodeNumber(buffer)
  }
  expect([variant(0, 1), variant(3, 1), variant(19, 2), variant(31, 1)]).toEqual([undefined, 1, 2, undefined])
  expect([undefined, 1, 2, 3, 4, 5, 6, 0].map((value) => describeVolume('C:', value).state)).toEqual([
    'unknown',
    'on',
    'off',
    'attention',
    'attention',
    'attention',
    'on',
    'unknown',
  ])
})

test('the TPM of Windows, and identifiers of components in the byte order of Windows', () => {
  const info = Buffer.alloc(16)
  info.writeUInt32LE(2, 4)
  expect(decodeTpm(info)).toEqual({ name: 'TPM 2.0', state: 'on', detail: '' })
  info.writeUInt32LE(7, 4)
  expect(decodeTpm(info)).toMatchObject({ state: 'unknown', detail: 'Windows reports version 7.' })
  expect(encodeGuid('E2B3C97F-6AE1-41AC-817A-F6F92166D7DD').toString('hex')).toBe(
    '7fc9b3e2e16aac41817af6f92166d7dd',
  )
})

const MOUNTS =
  '22 1 254:1 / / rw,relatime - ext4 /dev/mapper/vg-root rw\n30 22 0:5 / /dev rw - devtmpfs udev rw\n'

test('the root volume of Linux on LUKS, also below a volume group', () => {
  const root = givenRoot(
    {
      'proc/self/mountinfo': MOUNTS,
      'sys/class/block/dm-1/dm/uuid': 'LVM-abc\n',
      'sys/class/block/dm-1/slaves/dm-0/uevent': '',
      'sys/class/block/dm-0/dm/uuid': 'CRYPT-LUKS2-0123-luks\n',
    },
    { 'sys/dev/block/254:1': '../../devices/virtual/block/dm-1' },
  )
  expect(readRootEncryption(root)).toEqual([{ name: '/', state: 'on', detail: 'LUKS2' }])
})

test('a root volume without encryption, one of btrfs, and one without a device', () => {
  const plain = givenRoot(
    { 'proc/self/mountinfo': MOUNTS, 'sys/class/block/dm-1/dm/uuid': 'LVM-abc' },
    { 'sys/dev/block/254:1': '../../devices/virtual/block/dm-1' },
  )
  expect(readRootEncryption(plain)).toEqual([{ name: '/', state: 'off', detail: '/dev/mapper/vg-root' }])
  const btrfs = givenRoot({
    'proc/self/mountinfo': '22 1 0:26 /@ / rw - btrfs /dev/mapper/luks-root rw,subvol=/@\n',
    'sys/class/block/dm-0/dm/name': 'luks-root\n',
    'sys/class/block/dm-0/dm/uuid': 'CRYPT-LUKS1-0123-luks\n',
  })
  expect(readRootEncryption(btrfs)).toMatchObject([{ state: 'on', detail: 'LUKS1' }])
  const overlay = givenRoot({ 'proc/self/mountinfo': '22 1 0:26 / / rw - overlay overlay rw\n' })
  expect(() => readRootEncryption(overlay)).toThrow(
    'The root volume is overlay file system without a device of its own.',
  )
})

test('TPM and access control of Linux', () => {
  const machine = givenRoot({
    'sys/class/tpm/tpm0/tpm_version_major': '2\n',
    'sys/fs/selinux/enforce': '0\n',
    'sys/module/apparmor/parameters/enabled': 'Y\n',
    'sys/kernel/security/apparmor/profiles': '/usr/sbin/cupsd (enforce)\nlsb_release (complain)\n',
  })
  expect(readTpms(machine)).toEqual([{ name: 'TPM 2.0', state: 'on', detail: 'tpm0' }])
  expect(readAccessControl(machine)).toEqual([
    { name: 'SELinux', state: 'attention', detail: 'permissive' },
    { name: 'AppArmor', state: 'on', detail: '1 profiles enforced' },
  ])
  const bare = givenRoot({})
  expect([...readTpms(bare), ...readAccessControl(bare)].map(({ state }) => state)).toEqual(['absent', 'off'])
})

const ruleset = (...entries: object[]) =>
  JSON.stringify({ nftables: [{ metainfo: { version: '1.0.6', json_schema_version: 1 } }, ...entries] })
const chain = (hook: string, policy = 'accept') => ({
  chain: { family: 'inet', table: 'filter', name: hook, handle: 1, type: 'filter', hook, prio: 0, policy },
})
const rule = (name: string) => ({
  rule: { family: 'inet', table: 'filter', chain: name, handle: 4, expr: [] },
})

test('rules of nftables and of iptables for incoming packets', () => {
  const state = (output: string) => describeRules(output).state
  expect(state(ruleset())).toBe('off')
  expect(state(ruleset(chain('input')))).toBe('off')
  expect(state(ruleset(chain('input', 'drop')))).toBe('on')
  expect(state(ruleset(chain('forward', 'drop'), chain('input'), rule('forward')))).toBe('off')
  expect(describeRules(ruleset(chain('input'), rule('input')))).toEqual({
    name: 'nftables',
    state: 'on',
    detail: '1 rules for incoming packets',
  })
  expect(() => describeRules('')).toThrow('nft printed no JSON.')
  expect(describeInput('-P INPUT ACCEPT\n').state).toBe('off')
  expect(describeInput('-P INPUT DROP\n').state).toBe('on')
  expect(describeInput('-P INPUT ACCEPT\n-A INPUT -i lo -j ACCEPT\n').state).toBe('on')
})

test('the firewall of Linux: ufw, firewalld, then the rules, with the message of a refusal', async () => {
  const firewall = async (root: string) =>
    (await readLinuxSecurity(root)).find(({ subject }) => subject === 'firewall')
  givenPrograms({
    'firewall-cmd': 'test -e "$here/firewalld"',
    nft: 'echo "Operation not permitted (you must be root)" >&2; exit 1',
  })
  const mounts = { 'proc/self/mountinfo': MOUNTS }
  expect(await firewall(givenRoot({ ...mounts, 'etc/ufw/ufw.conf': '# /etc\nENABLED=yes\n' }))).toMatchObject(
    {
      name: 'ufw',
      state: 'on',
    },
  )
  const off = givenRoot({ ...mounts, 'etc/ufw/ufw.conf': 'ENABLED=no\n' })
  expect(await firewall(off)).toMatchObject({
    state: 'unknown',
    detail: 'nft does not list the rules: Operation not permitted (you must be root)',
  })
})

test('what the tools of macOS print', () => {
  expect(parseFirewall('Firewall is enabled. (State = 1) \n').state).toBe('on')
  expect(parseFirewall('Firewall is disabled. (State = 0)\n').state).toBe('off')
  expect(
    parseFirewall('Firewall is blocking all non-essential incoming connections. (State = 2)\n'),
  ).toMatchObject({ state: 'on', detail: 'blocks all incoming connections' })
  expect(parseFileVault('FileVault is On.\n').state).toBe('on')
  expect(parseFileVault('FileVault is Off.\n').state).toBe('off')
  expect(
    parseFileVault('FileVault is On.\nEncryption in progress: Percent completed = 12.5\n'),
  ).toMatchObject({ state: 'attention', detail: 'encryption in progress, 12.5 %' })
  expect(parseIntegrity('System Integrity Protection status: enabled.\n').state).toBe('on')
  expect(parseIntegrity('System Integrity Protection status: unknown (Custom Configuration).\n').state).toBe(
    'attention',
  )
  expect(parseGatekeeper('\nassessments disabled\n').state).toBe('off')
  expect(() => parseFileVault('')).toThrow('fdesetup printed nothing.')
  expect(() => parseGatekeeper('usage: spctl')).toThrow('spctl printed: usage: spctl')
})
