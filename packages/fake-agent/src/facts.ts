import type { AgentFacts } from '@muster/contract/agent/facts'
import { MODELS, PEOPLE, SYSTEMS, type SystemKind, ZONES } from './inventory.ts'
import { Random } from './random.ts'

export const AGENT_VERSION = '0.1.0'
const GIB = 1024 ** 3
const DAY_SECONDS = 86_400

/** Facts of machine number `index` of a fleet: always the same for the same seed. */
export function makeFacts(seed: number, index: number, nowMs: number): AgentFacts {
  const random = new Random(Math.imul(seed + 1, 0x9e3779b1) ^ Math.imul(index + 1, 0x85ebca6b))
  const kind = chooseKind(random)
  const system = random.pick(SYSTEMS[kind])
  const user = random.percent(kind === 'server' ? 10 : 70) ? random.pick(PEOPLE) : null
  const [make, model] = random.pick(MODELS[kind])
  const disks = makeDisks(random, system.platform)
  return {
    hostname: makeHostname(random, kind, index),
    platform: system.platform,
    arch: system.platform === 'darwin' || random.percent(3) ? 'arm64' : 'amd64',
    os_name: system.name,
    os_version: system.version,
    boot_time: Math.floor(nowMs / 1000) - random.below(60 * DAY_SECONDS),
    logged_in_user: user,
    last_logged_in_user: user ?? random.pick(PEOPLE),
    total_ram: random.pick([4, 8, 8, 16, 16, 32, 64, 128]) * GIB,
    cpus: [random.pick(system.cpus)],
    graphics:
      kind === 'server'
        ? []
        : [random.pick(['Intel UHD Graphics 770', 'AMD Radeon 780M', 'NVIDIA RTX A2000'])],
    disks,
    physical_disks: [
      {
        name: random.pick(['Samsung SSD 980 1TB', 'WDC PC SN730', 'KIOXIA KXG60', 'ST4000NM0035']),
        size: disks.reduce((sum, disk) => sum + disk.total, 0),
        type: random.percent(85) ? 'SSD' : 'HDD',
        serial: `S${String(random.below(1e9)).padStart(9, '0')}`,
      },
    ],
    addresses: [
      {
        interface: system.platform === 'windows' ? 'Ethernet' : system.platform === 'darwin' ? 'en0' : 'eth0',
        address: `10.${(index >> 16) & 255}.${(index >> 8) & 255}.${index & 255}`,
        family: 'ipv4',
        mac: `02:00:${[24, 16, 8, 0].map((bits) => ((index >> bits) & 255).toString(16).padStart(2, '0')).join(':')}`,
      },
    ],
    make,
    model,
    serial_number: `${make.slice(0, 2).toUpperCase()}${String(seed).slice(0, 4)}${index}`,
    time_zone: random.pick(ZONES),
    needs_reboot: random.percent(12),
    agent_version: AGENT_VERSION,
    problems: random.percent(1) ? ['The disk of the data folder is almost full (96 %).'] : [],
  }
}

/** Changes on a machine since its last report: disks fill, users sign in and out, updates need a reboot. */
export function changeFacts(facts: AgentFacts, random: Random): Partial<AgentFacts> {
  if (random.percent(70)) {
    return {
      disks: facts.disks.map((disk) => {
        const used = Math.min(disk.total, Math.max(0, disk.used + Math.round((random.next() - 0.4) * GIB)))
        return { ...disk, used, free: disk.total - used, percent: percentOf(used, disk.total) }
      }),
    }
  }
  if (random.percent(70)) {
    const user = random.percent(40) ? null : random.pick(PEOPLE)
    return user === null ? { logged_in_user: null } : { logged_in_user: user, last_logged_in_user: user }
  }
  return { needs_reboot: random.percent(30) }
}

function chooseKind(random: Random): SystemKind {
  const share = random.below(100)
  if (share < 18) return 'server'
  return share < 90 ? 'workstation' : 'mac'
}

function makeHostname(random: Random, kind: SystemKind, index: number): string {
  const number = String(index).padStart(5, '0')
  if (kind === 'server')
    return `${random.pick(['srv', 'web', 'db', 'file', 'dc', 'mail', 'backup'])}-${number}`
  if (kind === 'mac') return `MacBook-${random.pick(PEOPLE)}-${number}`
  return `${random.pick(['PC', 'LAPTOP', 'DESKTOP', 'KASSE', 'Büro', 'LAB'])}-${number}`
}

function makeDisks(random: Random, platform: AgentFacts['platform']): AgentFacts['disks'] {
  const [mounts, fstype] =
    platform === 'windows'
      ? [random.percent(30) ? ['C:', 'D:'] : ['C:'], 'NTFS']
      : platform === 'darwin'
        ? [['/'], 'apfs']
        : [random.percent(40) ? ['/', '/srv'] : ['/'], 'ext4']
  return mounts.map((mount, number) => {
    const total = random.pick([120, 240, 480, 960, 2000]) * GIB
    const used = Math.round(total * (0.1 + 0.88 * random.next()))
    const device = platform === 'windows' ? mount : `/dev/sda${number + 1}`
    return { device, mount, fstype, total, used, free: total - used, percent: percentOf(used, total) }
  })
}

function percentOf(used: number, total: number): number {
  return Math.round((used / total) * 1000) / 10
}
