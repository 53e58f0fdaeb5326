import type { FileEntry, FileKind } from '@muster/contract/agent/files'
import {
  IconFile,
  IconFileUnknown,
  IconFolder,
  IconLink,
  IconLinkOff,
  IconServer,
  type TablerIcon,
} from '@tabler/icons-react'
import { Time } from '../../../ui/layout/Time.tsx'
import type { DataCard, DataColumn } from '../../../ui/table/data-column.ts'
import classes from './FilesPane.module.css'
import { attributesLabel, KIND_LABELS, modeLabel, modifiedAt, ownerLabel, sizeLabel } from './file-rows.ts'

const ICONS: Partial<Record<FileKind, TablerIcon>> = {
  file: IconFile,
  folder: IconFolder,
  link: IconLink,
  drive: IconServer,
}

/** The name with an icon of its kind; links show their target. */
function FileName({ entry }: { entry: FileEntry }) {
  const { kind, name, target, problem } = entry
  const isBroken = target !== null && target.kind === null && problem === undefined
  const Icon = isBroken ? IconLinkOff : (ICONS[kind] ?? IconFileUnknown)
  const what = isBroken ? 'Broken link' : KIND_LABELS[kind]
  return (
    <span className={classes.name} data-tip={target === null ? undefined : `${name} → ${target.path}`}>
      <Icon
        size={16}
        stroke={1.75}
        role="img"
        aria-label={what}
        className={classes.icon ?? ''}
        data-kind={kind}
      />
      <span className="cut">{name}</span>
      {target !== null && <span className="cut dim">→ {target.path}</span>}
      {problem !== undefined && <span className="cut dim">{problem}</span>}
    </span>
  )
}

const MODE_COLUMN: DataColumn<FileEntry> = {
  id: 'mode',
  title: 'Permissions',
  width: '110px',
  sortable: true,
  render: ({ mode }) =>
    mode === null ? null : (
      <span className="mono" data-tip={mode.toString(8).padStart(4, '0')}>
        {modeLabel(mode)}
      </span>
    ),
}

const ATTRIBUTES_COLUMN: DataColumn<FileEntry> = {
  id: 'attributes',
  title: 'Attributes',
  width: '150px',
  sortable: true,
  render: (entry) => attributesLabel(entry),
}

/** With attributes on Windows, and permissions on other systems. */
export const fileColumns = (isWindows: boolean): readonly DataColumn<FileEntry>[] => [
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 2fr)',
    sortable: true,
    render: (entry) => <FileName entry={entry} />,
  },
  {
    id: 'size',
    title: 'Size',
    width: '100px',
    numeric: true,
    sortable: true,
    render: (entry) => sizeLabel(entry),
  },
  {
    id: 'modified',
    title: 'Changed',
    width: '190px',
    sortable: true,
    render: (entry) => <Time instant={modifiedAt(entry)} />,
  },
  isWindows ? ATTRIBUTES_COLUMN : MODE_COLUMN,
  {
    id: 'owner',
    title: 'Owner',
    width: 'minmax(110px, 0.6fr)',
    sortable: true,
    render: ownerLabel,
  },
]

export const FILE_COLUMNS_PX = 700

export const FILE_CARD: DataCard<FileEntry, undefined> = {
  height: 61,
  render: (entry) => (
    <>
      <div className="cardLine">
        <FileName entry={entry} />
        <span>{sizeLabel(entry)}</span>
      </div>
      <div className="cardLine dim">
        <Time instant={modifiedAt(entry)} />
        {entry.mode === null ? (
          <span>{attributesLabel(entry)}</span>
        ) : (
          <span className="mono">{modeLabel(entry.mode)}</span>
        )}
      </div>
    </>
  ),
}
