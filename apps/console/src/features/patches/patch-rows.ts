import type { MachinePatch } from '@muster/contract/api/patches'
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
  nothing: '',
}

/** Empty without a decision. */
export const actionLabel = ({ action }: Pick<MachinePatch, 'action'>): string => ACTIONS[action]

export const versionLabel = ({ current_version, version }: MachinePatch) =>
  current_version === '' ? version : `${current_version} → ${version}`

const VALUES: Record<string, (row: MachinePatch) => number | string> = {
  severity: ({ severity, security }) => (severity === '' && security ? 3.5 : SEVERITIES.indexOf(severity)),
  title: ({ title }) => toSortKey(title),
  version: ({ version }) => toSortKey(version),
  action: ({ action }) => ['approve', 'inherit', 'nothing', 'ignore'].indexOf(action),
  size: ({ size }) => size ?? -1,
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
