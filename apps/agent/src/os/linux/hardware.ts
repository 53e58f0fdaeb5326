import { readdirSync, readFileSync } from 'node:fs'
import type { PhysicalDisk } from '@muster/contract/agent/facts'
import type { z } from 'zod'
import { meaningful } from '../node-os.ts'
import { parseAssignments } from './sessions.ts'

const VIRTUAL_DISK = /^(loop|ram|zram|dm-|md|sr|fd|nbd|drbd)/
const SECTOR_BYTES = 512

export function readMachineMake(root = '/'): { make: string; model: string; serial_number: string } {
  const dmi = (name: string) => meaningful(readText(`${root}sys/class/dmi/id/${name}`))
  // Small boards have a device tree instead of DMI tables.
  const board = readText(`${root}proc/device-tree/model`)
  return {
    make: dmi('sys_vendor') || dmi('board_vendor') || dmi('chassis_vendor'),
    model: dmi('product_name') || board || dmi('board_name'),
    serial_number:
      dmi('product_serial') ||
      dmi('chassis_serial') ||
      dmi('board_serial') ||
      readText(`${root}proc/device-tree/serial-number`),
  }
}

/** One entry per socket. */
export function readCpus(root = '/'): string[] {
  const sockets = new Map<string, string>()
  const cpus = readText(`${root}proc/cpuinfo`).split('\n\n')
  for (const cpu of cpus) {
    const field = (name: string) => new RegExp(`^${name}\\s*:\\s*(.*)$`, 'm').exec(cpu)?.[1]?.trim()
    const model = field('model name') ?? field('Model') ?? field('cpu model')
    if (model !== undefined && model !== '')
      sockets.set(field('physical id') ?? '0', model.replaceAll(/\s+/g, ' '))
  }
  return [...sockets.values()]
}

export function readPhysicalDisks(root = '/'): z.infer<typeof PhysicalDisk>[] {
  const folder = `${root}sys/block`
  return listFolder(folder)
    .filter((name) => !VIRTUAL_DISK.test(name))
    .map((name) => readPhysicalDisk(root, name))
    .filter(({ size }) => size > 0)
}

function readPhysicalDisk(root: string, device: string): z.infer<typeof PhysicalDisk> {
  const read = (file: string) => readText(`${root}sys/block/${device}/${file}`)
  const model = [read('device/vendor'), read('device/model')].filter(
    (part) => part !== '' && part !== 'ATA' && !part.startsWith('0x'),
  )
  return {
    name: model.length > 0 ? `${model.join(' ')} (${device})` : device,
    size: Number(read('size')) * SECTOR_BYTES || 0,
    type: diskType(device, read('queue/rotational')),
    serial: readDiskSerial(root, device),
  }
}

/** Empty if it has none. */
export function readDiskSerial(root: string, device: string): string {
  const read = (file: string) => readText(`${root}sys/block/${device}/${file}`)
  const udev = parseAssignments(readText(`${root}run/udev/data/b${read('dev')}`).replaceAll(/^E:/gm, ''))
  return meaningful(read('serial') || read('device/serial') || udev.ID_SERIAL_SHORT || '')
}

function diskType(device: string, rotational: string): string {
  if (device.startsWith('nvme')) return 'NVMe'
  if (/^(vd|xvd)/.test(device)) return 'virtual'
  if (device.startsWith('mmcblk')) return 'flash'
  return rotational === '1' ? 'HDD' : 'SSD'
}

/** The name of the operating system. Rolling releases have no version, and say what they are in PRETTY_NAME. */
export function readOsRelease(root = '/'): { os_name: string; os_version: string } {
  const release = parseAssignments(readText(`${root}etc/os-release`) || readText(`${root}usr/lib/os-release`))
  const { NAME: name = '', PRETTY_NAME: full = '' } = release
  const version = release.VERSION || release.VERSION_ID || release.BUILD_ID
  if (version) return { os_name: name || full || 'Linux', os_version: version }
  if (name !== '' && full.startsWith(`${name} `))
    return { os_name: name, os_version: full.slice(name.length + 1) }
  return { os_name: full || name || 'Linux', os_version: '' }
}

/** Unix seconds. */
export function readBootTime(root = '/'): number {
  return Number(/^btime (\d+)$/m.exec(readText(`${root}proc/stat`))?.[1] ?? 0)
}

function listFolder(folder: string): string[] {
  try {
    return readdirSync(folder)
  } catch {
    return []
  }
}

/** The trimmed text of a system file; empty if it does not exist. */
export function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').replaceAll('\0', '').trim()
  } catch {
    return ''
  }
}
