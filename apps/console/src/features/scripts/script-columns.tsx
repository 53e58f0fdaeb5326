import { ActionIcon } from '@mantine/core'
import type { Script, ScriptShell } from '@muster/contract/api/scripts'
import {
  type Icon,
  IconBookmark,
  IconBrandNodejs,
  IconBrandPowershell,
  IconBrandPython,
  IconBrandTypescript,
  IconDots,
  IconEyeOff,
  IconPrompt,
  IconStar,
  IconStarFilled,
  IconTerminal,
  IconTerminal2,
} from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/table/data-column.ts'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import classes from './Scripts.module.css'
import { platformsLabel, SHELL_LABELS } from './script-labels.ts'
import { WaitingBadge } from './ScriptApproval.tsx'

export interface ScriptContext {
  /** Undefined for users who may not change scripts. */
  toggleFavorite: ((script: Script) => void) | undefined
  openMenu: (script: Script, at: Point) => void
}

const SCRIPT_COLUMNS: readonly DataColumn<Script, ScriptContext>[] = [
  {
    id: 'favorite',
    title: 'Favourite',
    titleHidden: true,
    width: '44px',
    sortable: true,
    render: (script, { toggleFavorite }) => <Favorite script={script} toggle={toggleFavorite} />,
  },
  {
    id: 'shell',
    title: 'Shell',
    width: '128px',
    sortable: true,
    render: ({ shell }) => (
      <span className="icon-text">
        <ShellIcon shell={shell} />
        {SHELL_LABELS[shell]}
      </span>
    ),
  },
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 1.4fr)',
    sortable: true,
    render: (script) => <ScriptName script={script} />,
  },
  {
    id: 'args',
    title: 'Default arguments',
    width: 'minmax(100px, 0.6fr)',
    render: ({ args }) => <bdi className="mono">{args.join(' ')}</bdi>,
  },
  {
    id: 'category',
    title: 'Category',
    width: 'minmax(100px, 0.6fr)',
    sortable: true,
    render: ({ category }) => <bdi>{category}</bdi>,
  },
  {
    id: 'description',
    title: 'Description',
    width: 'minmax(160px, 2fr)',
    render: ({ description }) => <bdi className="dim">{description}</bdi>,
  },
  {
    id: 'platforms',
    title: 'Platforms',
    width: '160px',
    render: ({ supported_platforms }) => <span className="dim">{platformsLabel(supported_platforms)}</span>,
  },
  {
    id: 'default_timeout',
    title: 'Time limit',
    width: '92px',
    sortable: true,
    render: ({ default_timeout }) => `${default_timeout} s`,
  },
  {
    id: 'menu',
    title: 'Actions',
    titleHidden: true,
    width: '40px',
    render: (script, { openMenu }) => <MenuButton script={script} onOpen={openMenu} />,
  },
]

/** Columns that the user may hide; star, name and menu always stay. */
export const CHOSEN_COLUMNS = [
  'shell',
  'args',
  'category',
  'description',
  'platforms',
  'default_timeout',
] as const
export type ChosenColumn = (typeof CHOSEN_COLUMNS)[number]

const isChosenColumn = (id: string): id is ChosenColumn => CHOSEN_COLUMNS.some((name) => name === id)

export const titleOfColumn = (name: ChosenColumn): string | undefined =>
  SCRIPT_COLUMNS.find(({ id }) => id === name)?.title

export const showColumns = (chosen: readonly ChosenColumn[]) =>
  SCRIPT_COLUMNS.filter(({ id }) => !isChosenColumn(id) || chosen.includes(id))

/** Below this width the table scrolls sideways: the minimum of each column, with gaps. */
export const leastWidth = (columns: readonly { width: string }[]): number =>
  columns.reduce((sum, { width }) => sum + Number(/\d+/.exec(width)?.[0] ?? 0), 0)

export const SCRIPT_CARD: DataCard<Script, ScriptContext> = {
  height: 61,
  render: (script, { openMenu }) => (
    <>
      <div className="cardLine">
        <span className="cut">
          <ScriptName script={script} />
        </span>
        <span className="fixed-row">
          {script.favorite && <FavoriteMark />}
          <MenuButton script={script} onOpen={openMenu} />
        </span>
      </div>
      <div className="cardLine dim">
        <span className="cut">
          {[SHELL_LABELS[script.shell], script.category].filter(Boolean).join(' · ')}
        </span>
        <span>{script.default_timeout} s</span>
      </div>
    </>
  ),
}

// The keyboard uses the row's menu, which the menu key opens.

function Favorite({ script, toggle }: { script: Script; toggle: ScriptContext['toggleFavorite'] }) {
  const star = script.favorite ? (
    <IconStarFilled size={16} aria-hidden className={classes.star} />
  ) : (
    <IconStar size={16} stroke={1.75} aria-hidden className="dim-icon" />
  )
  if (toggle === undefined) {
    return script.favorite ? <FavoriteMark /> : null
  }
  return (
    <ActionIcon
      size="sm"
      className={classes.action ?? ''}
      tabIndex={-1}
      aria-label={`Favourite ${script.name}`}
      aria-pressed={script.favorite}
      data-tip={script.favorite ? 'Remove from favourites' : 'Add to favourites'}
      onClick={(event) => {
        event.stopPropagation()
        toggle(script)
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      {star}
    </ActionIcon>
  )
}

function MenuButton({ script, onOpen }: { script: Script; onOpen: ScriptContext['openMenu'] }) {
  return (
    <ActionIcon
      size="sm"
      className={classes.action ?? ''}
      tabIndex={-1}
      aria-label={`Actions on ${script.name}`}
      onClick={(event) => {
        event.stopPropagation()
        const { left, bottom } = event.currentTarget.getBoundingClientRect()
        onOpen(script, { x: left, y: bottom })
      }}
      onDoubleClick={(event) => event.stopPropagation()}
    >
      <IconDots size={16} stroke={1.75} aria-hidden />
    </ActionIcon>
  )
}

const SHELL_ICONS: Record<ScriptShell, Icon> = {
  powershell: IconBrandPowershell,
  cmd: IconPrompt,
  python: IconBrandPython,
  shell: IconTerminal2,
  nushell: IconTerminal,
  deno: IconBrandTypescript,
  node: IconBrandNodejs,
}

export function ShellIcon({ shell }: { shell: ScriptShell }) {
  const ThisIcon = SHELL_ICONS[shell]
  return <ThisIcon size={16} stroke={1.75} aria-hidden className="dim-icon" />
}

/** The name with its icons; on hover its id, which the API uses. */
export function ScriptName({
  script: { id, name, hidden, script_type, server_approval },
}: {
  script: Script
}) {
  return (
    <>
      <bdi className={hidden ? 'dim' : 'strong'} data-tip={`Script ${id}: ${name}`}>
        {name}
      </bdi>
      {script_type === 'builtin' && <Mark icon={IconBookmark} label="Built in" />}
      {hidden && <Mark icon={IconEyeOff} label="Hidden" />}
      {server_approval === 'waiting' && (
        <>
          {' '}
          <WaitingBadge />
        </>
      )}
    </>
  )
}

export function FavoriteMark() {
  return <IconStarFilled size={14} role="img" aria-label="Favourite" className={classes.star} />
}

function Mark({ icon: MarkIcon, label }: { icon: Icon; label: string }) {
  return (
    <span role="img" aria-label={label} data-tip={label} className={classes.mark}>
      <MarkIcon size={14} stroke={1.75} aria-hidden />
    </span>
  )
}
