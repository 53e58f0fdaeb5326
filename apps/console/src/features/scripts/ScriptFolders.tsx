import type { Script } from '@muster/contract/api/scripts'
import { IconFolder, IconFolderOpen } from '@tabler/icons-react'
import { type ReactNode, useMemo } from 'react'
import { Tree } from '../../ui/table/Tree.tsx'
import type { Point } from '../../ui/dialog/menu-entry.ts'
import classes from './ScriptFolders.module.css'
import { type LibraryLine, listFolders } from './library-folders.ts'
import { useOpenFolders } from './library-memory.ts'
import { FavoriteMark, ScriptName, ShellIcon } from './script-columns.tsx'

interface ScriptFoldersProps {
  scripts: readonly Script[]
  /** During a search all folders are open. */
  searched: boolean
  selected: string | undefined
  onSelect: (script: Script) => void
  onOpen: (script: Script) => void
  onMenu: (script: Script, at: Point) => void
  empty: ReactNode
}

/** The library as a folder per category. */
export function ScriptFolders(props: ScriptFoldersProps) {
  const { scripts, searched, selected, onSelect, onOpen, onMenu, empty } = props
  const [opened, setOpened] = useOpenFolders()
  const lines = useMemo(
    () => listFolders(scripts, (category) => searched || opened.includes(category)),
    [scripts, searched, opened],
  )
  const toggle = (ids: readonly string[], expanded: boolean) => {
    if (searched) return
    const some = lines.flatMap((line) =>
      line.kind === 'folder' && ids.includes(line.id) ? line.category : [],
    )
    setOpened((old) => [...old.filter((category) => !some.includes(category)), ...(expanded ? some : [])])
  }
  const act = (line: LibraryLine, onScript: (script: Script) => void) =>
    line.kind === 'script' ? onScript(line.script) : toggle([line.id], line.expanded === false)
  if (lines.length === 0) return empty
  return (
    <div className={classes.folders}>
      <Tree
        label="Scripts"
        lines={lines}
        selected={selected ?? ''}
        onSelect={(line) => act(line, onSelect)}
        onOpen={(line) => act(line, onOpen)}
        onToggle={toggle}
        hasMenu={({ kind }) => kind === 'script'}
        onMenu={(line, at) => line.kind === 'script' && onMenu(line.script, at)}
        renderLine={(line) =>
          line.kind === 'script' ? <ScriptLine script={line.script} /> : <FolderLine line={line} />
        }
      />
    </div>
  )
}

function FolderLine({ line: { label, count, expanded } }: { line: LibraryLine & { kind: 'folder' } }) {
  const Icon = expanded === true ? IconFolderOpen : IconFolder
  return (
    <span className={classes.line}>
      <Icon size={16} stroke={1.75} aria-hidden className="dim-icon" />
      <bdi className="cut strong">{label}</bdi> <span className="dim">{count}</span>
    </span>
  )
}

function ScriptLine({ script }: { script: Script }) {
  return (
    <span className={classes.line} data-script>
      <ShellIcon shell={script.shell} />
      <span className={classes.name}>
        <ScriptName script={script} /> {script.favorite && <FavoriteMark />}
      </span>{' '}
      <bdi className={classes.about} data-line-end>
        {script.description}
      </bdi>
    </span>
  )
}
