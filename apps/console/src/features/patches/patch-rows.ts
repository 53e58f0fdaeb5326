import type { FleetPatch, MachinePatch, PatchMachine } from '@muster/contract/api/patches'
import { toSortKey } from '@muster/rules/search/tree-order'
import type { TableSort } from '../../ui/table/data-column.ts'

/** Sort order, most severe first. */
const SEVERITIES = ['Critical', 'Important', 'Moderate', 'Low', '']

export function severityLabel({ severity, security }: Pick<MachinePatch, 'severity' | 'security'>): string {
  if (severity !== '') return severity
  return security ? 'Security' : 'Other'
}

const ACTIONS: Record<MachinePatch['action'], string> = {
  approve: 'Approved',
  ignore: 'Ignored',
  inherit: '',
  nothing: 'Manual',
}

/** Empty without a decision. */
export const actionLabel = ({
  action,
  by_policy = false,
}: Pick<MachinePatch, 'action'> & Partial<Pick<MachinePatch, 'by_policy'>>): string =>
  by_policy && ACTIONS[action] !== '' ? `${ACTIONS[action]} by policy` : ACTIONS[action]

export const versionLabel = ({ current_version, version }: MachinePatch) =>
  current_version === '' ? version : `${current_version} → ${version}`

const VALUES: Record<string, (row: MachinePatch) => number | string> = {
  severity: ({ severity, security }) => (severity === '' && security ? 3.5 : SEVERITIES.indexOf(severity)),
  title: ({ title }) => toSortKey(title),
  version: ({ version }) => toSortKey(version),
  action: ({ action }) => ['approve', 'inherit', 'nothing', 'ignore'].indexOf(action),
  size: ({ size }) => size ?? -1,
  date: ({ date_installed }) => date_installed ?? '',
}

/** `3 approved, 1 ignored`; empty without a decision. */
export function decisionsLabel({ machines, approved, ignored }: FleetPatch): string {
  if (approved === machines) return 'Approved'
  if (ignored === machines) return 'Ignored'
  return [
    ...(approved > 0 ? [`${approved} approved`] : []),
    ...(ignored > 0 ? [`${ignored} ignored`] : []),
  ].join(', ')
}

/** Patches that contain all words, in the order of a column. */
export function findPatches(
  patches: readonly MachinePatch[],
  search: string,
  { column, descending }: TableSort,
): MachinePatch[] {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean)
  const valueOf = VALUES[column] ?? (({ title }: MachinePatch) => toSortKey(title))
  const sign = descending ? -1 : 1
  const textOf = (row: MachinePatch) =>
    [row.title, row.kb, row.version, severityLabel(row), actionLabel(row), ...row.categories]
      .join('\n')
      .toLowerCase()
  return patches
    .filter((row) => words.every((word) => textOf(row).includes(word)))
    .map((row) => ({ row, value: valueOf(row) }))
    .toSorted((a, b) => (a.value === b.value ? 0 : (a.value < b.value ? -1 : 1) * sign))
    .map(({ row }) => row)
}

/** The patches as rows of a file. */
export function patchesTable(patches: readonly MachinePatch[]): (string | number | null)[][] {
  return [
    [
      'Severity',
      'Name',
      'KB',
      'Installed version',
      'New version',
      'Categories',
      'Decision',
      'Bytes',
      'Restart',
    ],
    ...patches.map((row) => [
      severityLabel(row),
      row.title,
      row.kb,
      row.current_version,
      row.version,
      row.categories.join(', '),
      actionLabel(row),
      row.size,
      row.needs_reboot ? 'yes' : '',
    ]),
  ]
}

export function installedTable(patches: readonly MachinePatch[]): (string | null)[][] {
  return [
    ['Installed', 'Name', 'KB', 'Version', 'Severity'],
    ...patches.map((row) => [row.date_installed, row.title, row.kb, row.version, row.severity]),
  ]
}

export function fleetTable(patches: readonly FleetPatch[]): (string | number | null)[][] {
  return [
    ['Severity', 'Name', 'KB', 'Version', 'Machines', 'Approved', 'Ignored', 'First seen', 'Restart'],
    ...patches.map((row) => [
      severityLabel(row),
      row.title,
      row.kb,
      row.version,
      row.machines,
      row.approved,
      row.ignored,
      row.first_seen,
      row.needs_reboot ? 'yes' : '',
    ]),
  ]
}

export function patchMachinesTable(machines: readonly PatchMachine[]): string[][] {
  return [
    ['Machine', 'Client', 'Site', 'Installed version', 'Decision', 'Last scan'],
    ...machines.map((row) => [
      row.hostname,
      row.client,
      row.site,
      row.current_version,
      actionLabel(row),
      row.looked_at,
    ]),
  ]
}
