import { toPresence } from '../agents/agent-status.ts'
import { platformName } from '../agents/available-actions.ts'
import type { SearchableMachine } from './search-fields.ts'

/** Texts that are compared. Composed and decomposed letters look the same on screen, so they match. */
export function fold(text: string): string {
  return text.normalize().toLowerCase().normalize()
}

/**
 * The searchable text of a row, in lower case. More expensive than a search, so cache it per row object. `shown`
 * adds texts that only the table knows, such as dates in the user's format.
 */
export function searchText(row: SearchableMachine, shown: readonly string[] = []): string {
  // A text of a search contains no line break, so a line break between fields prevents matches across two of them.
  const text = `${row.hostname}
${row.client_name}
${row.site_name}
${row.description}
${row.logged_username}
${platformName(row.plat)}
${row.plat}
${row.monitoring_type}
${toPresence(row.status, row.connected)}
${row.operating_system}
${row.version}
${row.public_ip}
${row.local_ips}
${row.make_model}
${row.serial_number}
${row.graphics}
${row.cpu_model.join('\n')}
${row.physical_disks.join('\n')}
${row.tags.join('\n')}
${customFieldText(row.custom_fields.map(({ value }) => value))}
${shown.join('\n')}`
  return fold(text)
}

function customFieldText(value: unknown): string {
  if (Array.isArray(value)) return value.map(customFieldText).join('\n')
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
    ? String(value)
    : ''
}
