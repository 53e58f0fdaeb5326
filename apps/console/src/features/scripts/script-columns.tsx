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
import type { DataCard, DataColumn } from '../../ui/data-column.ts'
import type { Point } from '../../ui/menu-entry.ts'
import classes from './ScriptsDialog.module.css'
import { SHELL_LABELS, platformsLabel } from './script-words.ts'

export interface ScriptContext {
  /** Undefined for who may not change scripts. */
  toggleFavorite: ((script: Script) => void) | undefined
  openMenu: (script: Script, at: Point) => void
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

export const SCRIPT_COLUMNS: readonly DataColumn<Script, ScriptContext>[] = [
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
    render: ({ shell }) => <Shell shell={shell} />,
  },
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 1.4fr)',
    sortable: true,
    render: (script) => <Name script={script} />,
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
    render: ({ description }) => <bdi className={classes.dim}>{description}</bdi>,
  },
  {
    id: 'platforms',
    title: 'Platforms',
    width: '160px',
    render: ({ supported_platforms }) => (
      <span className={classes.dim}>{platformsLabel(supported_platforms)}</span>
    ),
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

export const SCRIPT_CARD: DataCard<Script, ScriptContext> = {
  height: 61,
  render: (script, { openMenu }) => (
    <>
      <div className={classes.cardLine}>
        <span className={classes.cut}>
          <Name script={script} />
        </span>
        <span className={classes.cardIcons}>
          {script.favorite && (
            <IconStarFilled size={14} role="img" aria-label="favourite" className={classes.star} />
          )}
          <MenuButton script={script} onOpen={openMenu} />
        </span>
      </div>
      <div className={`${classes.cardLine} ${classes.dim}`}>
        <span className={classes.cut}>
          {[SHELL_LABELS[script.shell], script.category].filter(Boolean).join(' · ')}
        </span>
        <span>{script.default_timeout} s</span>
      </div>
    </>
  ),
}

function Shell({ shell }: { shell: ScriptShell }) {
  const ShellIcon = SHELL_ICONS[shell]
  return (
    <span className={classes.shell}>
      <ShellIcon size={16} stroke={1.75} aria-hidden className={classes.icon} />
      {SHELL_LABELS[shell]}
    </span>
  )
}

function Name({ script: { name, hidden, script_type } }: { script: Script }) {
  return (
    <>
      <bdi className={hidden ? classes.hidden : classes.name}>{name}</bdi>
      {script_type === 'builtin' && <Mark icon={IconBookmark} label="Built in" />}
      {hidden && <Mark icon={IconEyeOff} label="Hidden" />}
    </>
  )
}

function Mark({ icon: MarkIcon, label }: { icon: Icon; label: string }) {
  return (
    <span role="img" aria-label={label} data-tip={label} className={classes.mark}>
      <MarkIcon size={14} stroke={1.75} aria-hidden />
    </span>
  )
}

// The keyboard has both of these in the row's menu, which the menu key opens.

function Favorite({ script, toggle }: { script: Script; toggle: ScriptContext['toggleFavorite'] }) {
  const star = script.favorite ? (
    <IconStarFilled size={16} aria-hidden className={classes.star} />
  ) : (
    <IconStar size={16} stroke={1.75} aria-hidden className={classes.icon} />
  )
  if (toggle === undefined) {
    return script.favorite ? (
      <span role="img" aria-label="Favourite">
        {star}
      </span>
    ) : null
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
