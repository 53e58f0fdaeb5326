import type { Script } from '@muster/contract/api/scripts'
import { platformName } from '@muster/rules/platform-name'
import { IconBookmark, IconStar, IconStarFilled } from '@tabler/icons-react'
import type { DataCard, DataColumn } from '../../ui/data-column.ts'
import { SHELLS } from './script-form.ts'
import classes from './ScriptsDialog.module.css'

export interface ScriptContext {
  /** Undefined for who may not change scripts. */
  toggleFavorite: ((script: Script) => void) | undefined
}

export const SCRIPT_COLUMNS: readonly DataColumn<Script, ScriptContext>[] = [
  {
    id: 'favorite',
    title: 'Favourite',
    titleHidden: true,
    width: '40px',
    sortable: true,
    render: (script, { toggleFavorite }) => <Favorite script={script} toggle={toggleFavorite} />,
  },
  {
    id: 'name',
    title: 'Name',
    width: 'minmax(180px, 1.4fr)',
    sortable: true,
    render: ({ name, hidden, script_type }) => (
      <span className={hidden ? classes.hidden : classes.name}>
        <bdi>{name}</bdi>
        {script_type === 'builtin' && (
          <IconBookmark size={14} stroke={1.75} aria-label="built in" data-tip="Built in" />
        )}
        {hidden && ' (hidden)'}
      </span>
    ),
  },
  {
    id: 'shell',
    title: 'Shell',
    width: '132px',
    sortable: true,
    render: ({ shell }) => SHELLS.find(({ value }) => value === shell)?.label ?? shell,
  },
  {
    id: 'platforms',
    title: 'Platforms',
    width: '150px',
    render: ({ supported_platforms }) => (
      <span className={classes.dim}>{platformsText(supported_platforms)}</span>
    ),
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
    render: ({ description }) => (
      <span className={classes.dim}>
        <bdi>{description}</bdi>
      </span>
    ),
  },
  {
    id: 'default_timeout',
    title: 'Time limit',
    width: '88px',
    sortable: true,
    render: ({ default_timeout }) => `${default_timeout} s`,
  },
]

export const SCRIPT_CARD: DataCard<Script, ScriptContext> = {
  height: 61,
  render: (script) => (
    <>
      <div className={classes.cardLine}>
        <span className={classes.name}>
          <bdi>{script.name}</bdi>
        </span>
        {script.favorite && <IconStarFilled size={14} aria-label="favourite" className={classes.star} />}
      </div>
      <div className={`${classes.cardLine} ${classes.dim}`}>
        <span>{[script.shell, script.category].filter((text) => text !== '').join(' · ')}</span>
        <span>{script.default_timeout} s</span>
      </div>
    </>
  ),
}

function Favorite({ script, toggle }: { script: Script; toggle: ScriptContext['toggleFavorite'] }) {
  const label = script.favorite ? 'Favourite' : 'Not a favourite'
  const icon = script.favorite ? (
    <IconStarFilled size={16} aria-hidden className={classes.star} />
  ) : (
    <IconStar size={16} stroke={1.75} aria-hidden className={classes.dim} />
  )
  if (toggle === undefined) return <span aria-label={label}>{icon}</span>
  // The keyboard has it in the row's menu.
  return (
    <button
      type="button"
      tabIndex={-1}
      className={classes.starButton}
      aria-label={`${label}: ${script.name}`}
      aria-pressed={script.favorite}
      onClick={(event) => {
        event.stopPropagation()
        toggle(script)
      }}
    >
      {icon}
    </button>
  )
}

function platformsText(platforms: Script['supported_platforms']): string {
  return platforms.length === 0 ? 'all' : platforms.map(platformName).join(', ')
}
