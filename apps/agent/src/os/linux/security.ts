import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { basename } from 'node:path'
import type { Protection } from '@muster/contract/agent/facts'
import { MeasureError } from '../../errors.ts'
import { findProgram } from '../../run/find-program.ts'
import { firstLine, runTool } from '../run-tool.ts'
import { readProtections } from '../security.ts'
import { readText } from './hardware.ts'
import { parseAssignments } from './sessions.ts'

type Found = Omit<Protection, 'subject'>

const LIMIT_MS = 10_000

export function readLinuxSecurity(root = '/'): Promise<Protection[]> {
  return readProtections([
    { subject: 'firewall', name: 'Firewall', read: () => readFirewall(root) },
    { subject: 'disk_encryption', name: '/', read: async () => readRootEncryption(root) },
    { subject: 'tpm', name: 'TPM', read: async () => readTpms(root) },
    { subject: 'access_control', name: 'SELinux, AppArmor', read: async () => readAccessControl(root) },
  ])
}

/** ufw and firewalld write rules of nftables or iptables, so these are read only without them. */
async function readFirewall(root: string): Promise<Found[]> {
  const ufw = readText(`${root}etc/ufw/ufw.conf`)
  if (parseAssignments(ufw).ENABLED?.toLowerCase() === 'yes')
    return [{ name: 'ufw', state: 'on', detail: '' }]
  if (findProgram('firewall-cmd') !== undefined) {
    const { code } = await run('firewall-cmd', ['--state'])
    if (code === 0) return [{ name: 'firewalld', state: 'on', detail: '' }]
  }
  if (findProgram('nft') !== undefined) {
    const { code, stdout, stderr } = await run('nft', ['--json', 'list', 'ruleset'])
    if (code !== 0) throw new MeasureError(`nft does not list the rules: ${firstLine(stderr)}`)
    return [describeRules(stdout)]
  }
  if (findProgram('iptables') === undefined)
    throw new MeasureError('None of ufw, firewalld, nft and iptables is installed on this machine.')
  const { code, stdout, stderr } = await run('iptables', ['-S', 'INPUT'])
  if (code !== 0) throw new MeasureError(`iptables does not list the rules: ${firstLine(stderr)}`)
  return [describeInput(stdout)]
}

function run(name: string, args: string[]) {
  return runTool(name, args, { signal: AbortSignal.timeout(LIMIT_MS + 1000), timeoutMs: LIMIT_MS })
}

/** From `nft --json list ruleset`: chains that see incoming packets, and their rules. */
export function describeRules(output: string): Found {
  const name = 'nftables'
  let entries: unknown
  try {
    entries = Reflect.get(Object(JSON.parse(output)), 'nftables')
  } catch (cause) {
    throw new MeasureError('nft printed no JSON.', { cause })
  }
  if (!Array.isArray(entries)) throw new MeasureError('nft printed no list of rules.')
  const parts = (kind: string) =>
    entries
      .map((entry: unknown) => Object(Reflect.get(Object(entry), kind) ?? {}))
      .filter(({ family }) => family)
  const chains = parts('chain').filter(({ hook }) => hook === 'input')
  const rules = parts('rule').filter((rule) =>
    chains.some(
      (chain) => ['family', 'table'].every((key) => rule[key] === chain[key]) && rule.chain === chain.name,
    ),
  )
  const drops = chains.some(({ policy }) => policy === 'drop')
  return drops || rules.length > 0
    ? { name, state: 'on', detail: `${rules.length} rules for incoming packets` }
    : { name, state: 'off', detail: 'no rules for incoming packets' }
}

/** From `iptables -S INPUT`: the policy, then the rules. */
export function describeInput(output: string): Found {
  const lines = output.trim().split('\n')
  const rules = lines.filter((line) => line.startsWith('-A '))
  const isOn = rules.length > 0 || !lines.includes('-P INPUT ACCEPT')
  return {
    name: 'iptables',
    state: isOn ? 'on' : 'off',
    detail: isOn ? `${rules.length} rules for incoming packets` : 'no rules for incoming packets',
  }
}

/** The root volume lies on LUKS if one of the devices below it does. */
export function readRootEncryption(root: string): Found[] {
  const line = readFileSync(`${root}proc/self/mountinfo`, 'utf8')
    .split('\n')
    .findLast((entry) => entry.split(' ')[4] === '/')
  const [fstype = '', source = ''] = line?.split(' - ')[1]?.split(' ') ?? []
  const number = line?.split(' ')[2] ?? ''
  const device = number.startsWith('0:')
    ? basename(source)
    : basename(linkOf(`${root}sys/dev/block/${number}`))
  const known = blockDevice(root, device)
  if (known === undefined)
    throw new MeasureError(`The root volume is ${fstype || 'no'} file system without a device of its own.`)
  const crypt = findCrypt(root, known, 0)
  if (crypt === undefined) return [{ name: '/', state: 'off', detail: source }]
  return [{ name: '/', state: 'on', detail: crypt }]
}

/** Volume groups and mirrors lie on each other. */
const MAX_DEPTH = 8

/** `LUKS2` for a device that lies on a volume with it. */
function findCrypt(root: string, device: string, depth: number): string | undefined {
  const folder = `${root}sys/class/block/${device}`
  const [, format] = /^CRYPT-([A-Z0-9]+)/.exec(readText(`${folder}/dm/uuid`)) ?? []
  if (format !== undefined) return format
  if (depth === MAX_DEPTH) return undefined
  for (const slave of listFolder(`${folder}/slaves`)) {
    const found = findCrypt(root, slave, depth + 1)
    if (found !== undefined) return found
  }
  return undefined
}

/** The name in /sys of a device, which /dev/mapper names otherwise. */
function blockDevice(root: string, name: string): string | undefined {
  const devices = listFolder(`${root}sys/class/block`)
  return devices.find(
    (device) => device === name || readText(`${root}sys/class/block/${device}/dm/name`) === name,
  )
}

function linkOf(file: string): string {
  try {
    return readlinkSync(file)
  } catch {
    return ''
  }
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

export function readTpms(root: string): Found[] {
  const chips = listFolder(`${root}sys/class/tpm`)
  if (chips.length === 0) return [{ name: 'TPM', state: 'absent', detail: '' }]
  return chips.map((chip) => {
    const major = readText(`${root}sys/class/tpm/${chip}/tpm_version_major`)
    const version = { 1: 'TPM 1.2', 2: 'TPM 2.0' }[Number(major)]
    return version === undefined
      ? { name: 'TPM', state: 'unknown', detail: `The kernel does not state the version of ${chip}.` }
      : { name: version, state: 'on', detail: chip }
  })
}

export function readAccessControl(root: string): Found[] {
  const found: Found[] = []
  const enforce = readText(`${root}sys/fs/selinux/enforce`)
  if (enforce === '1') found.push({ name: 'SELinux', state: 'on', detail: 'enforcing' })
  if (enforce === '0') found.push({ name: 'SELinux', state: 'attention', detail: 'permissive' })
  if (readText(`${root}sys/module/apparmor/parameters/enabled`) === 'Y') {
    const profiles = readText(`${root}sys/kernel/security/apparmor/profiles`)
    const enforced = profiles.split('\n').filter((line) => line.endsWith('(enforce)')).length
    // Only root may read the profiles.
    found.push({
      name: 'AppArmor',
      state: 'on',
      detail: profiles === '' ? '' : `${enforced} profiles enforced`,
    })
  }
  return found.length > 0 ? found : [{ name: 'SELinux, AppArmor', state: 'off', detail: '' }]
}
