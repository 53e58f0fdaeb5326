import type { AgentFacts, PhysicalDisk } from '@muster/contract/agent/facts'
import type { z } from 'zod'

/**
 * Facts from the library systeminformation. It is loaded on use, and only in the short-lived process that collects
 * slow facts, because it would take a fifth of the agent's memory.
 */
const load = async () => (await import('systeminformation')).default

export async function readGraphics(): Promise<string[]> {
  const { controllers } = await (await load()).graphics()
  return controllers.map(({ vendor, model }) => joinNames(vendor, model)).filter((name) => name !== '')
}

export async function readMachineFallback(): Promise<Pick<AgentFacts, 'make' | 'model' | 'serial_number'>> {
  const { manufacturer, model, serial } = await (await load()).system()
  return { make: clean(manufacturer), model: clean(model), serial_number: clean(serial) }
}

export async function readCpuNames(): Promise<string[]> {
  const { manufacturer, brand, processors } = await (await load()).cpu()
  return Array.from({ length: Math.max(1, processors) }, () => joinNames(manufacturer, brand))
}

export async function readDiskLayout(): Promise<z.infer<typeof PhysicalDisk>[]> {
  const disks = await (await load()).diskLayout()
  return disks.map(({ vendor, name, device, size, type, serialNum }) => ({
    name: joinNames(vendor, name) || device,
    size,
    type,
    serial: clean(serialNum),
  }))
}

function clean(text: string): string {
  return /^(-|unknown|none|default string|to be filled.*)$/i.test(text.trim()) ? '' : text.trim()
}

/** The vendor's name is left out if the model starts with it. */
function joinNames(maker: string, model: string): string {
  const first = clean(maker).split(' ')[0] ?? ''
  return clean(model).toLowerCase().startsWith(first.toLowerCase())
    ? clean(model)
    : `${clean(maker)} ${clean(model)}`.trim()
}
