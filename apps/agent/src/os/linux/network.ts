import { readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { readText } from './hardware.ts'

/** Backends of Xen guests: the kernel lists them as devices. */
const GUEST_SIDE = /^vif\d/

/** Whether it is a card, or what a virtual machine has as one, and no other card counts its bytes. */
export function isCard(root: string, name: string): boolean {
  if (GUEST_SIDE.test(name) || !isDevice(root, name)) return false
  const folder = join(root, 'sys/class/net', name)
  // A port of a switch chip sends through the card of the chip.
  if (readText(join(folder, 'iflink')) !== readText(join(folder, 'ifindex'))) return false
  // A virtual function sends for its paravirtual card. Members of bonds and bridges have a virtual master.
  const master = findLink(join(folder, 'master'))
  return master === undefined || !isDevice(root, master.split('/').at(-1) ?? '')
}

/** The interfaces of the default routes, the preferred one first. */
export function findDefaultInterfaces(root = '/'): string[] {
  const routes = [
    ...readTable(root, 'route').flatMap(([name = '', to, , , , , metric, mask]) =>
      to === '00000000' && mask === '00000000' ? [{ name, metric: Number(metric) }] : [],
    ),
    ...readTable(root, 'ipv6_route').flatMap(([to, length, , , , metric = '', , , , name = '']) =>
      /^0{32}$/.test(to ?? '') && length === '00' ? [{ name, metric: Number.parseInt(metric, 16) }] : [],
    ),
  ]
  // IPv6 has a route of the loopback interface that refuses.
  const found = routes.filter(({ name }) => name !== '' && name !== 'lo')
  return [...new Set(found.toSorted((a, b) => a.metric - b.metric).map(({ name }) => name))]
}

/** Ranks interfaces: that of the default route, cards, the others. */
export function rankInterfaces(root = '/'): (name: string) => number {
  const [preferred] = findDefaultInterfaces(root)
  return (name) => (name === preferred ? 0 : isCard(root, name) ? 1 : 2)
}

function isDevice(root: string, name: string): boolean {
  const device = findLink(join(root, 'sys/class/net', name))
  return device !== undefined && !device.includes('/virtual/')
}

function readTable(root: string, file: string): string[][] {
  return readText(join(root, 'proc/net', file))
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
}

function findLink(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // Not a link, or /sys is not there.
    return undefined
  }
}
