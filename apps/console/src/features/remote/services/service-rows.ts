import type { MachineService } from '@muster/contract/agent/services'
import type { TableSort } from '../../../ui/table/data-column.ts'

const START_TYPE_LABELS: Record<MachineService['start_type'], string> = {
  auto: 'Automatic',
  manual: 'Manual',
  disabled: 'Disabled',
  fixed: 'By others',
}

export const startLabel = ({ start_type, autodelay }: MachineService) =>
  `${START_TYPE_LABELS[start_type]}${start_type === 'auto' && autodelay ? ' (delayed)' : ''}`

/** What needs somebody comes first. */
const STATUS_ORDER = ['failed', 'stopping', 'starting', 'paused', 'running', 'stopped', 'unknown']

const VALUES: Record<string, (service: MachineService) => number | string> = {
  name: ({ display_name }) => display_name.toLowerCase(),
  status: ({ status }) => STATUS_ORDER.indexOf(status),
  start: startLabel,
  pid: ({ pid }) => pid,
  user: ({ username }) => username.toLowerCase(),
}

/** Services in which all words stand somewhere, in the order of a column. */
export function findServices(
  services: readonly MachineService[],
  search: string,
  { column, descending }: TableSort,
): MachineService[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const valueOf = VALUES[column] ?? (({ name }) => name)
  const sign = descending ? -1 : 1
  return services
    .filter((service) => words.every((word) => textOf(service).includes(word)))
    .toSorted((a, b) => {
      const [one, other] = [valueOf(a), valueOf(b)]
      if (one !== other) return (one < other ? -1 : 1) * sign
      return a.name < b.name ? -1 : 1
    })
}

function textOf(service: MachineService): string {
  const { name, display_name, description, status, username } = service
  return `${name} ${display_name} ${description} ${status} ${username} ${startLabel(service)}`.toLowerCase()
}
