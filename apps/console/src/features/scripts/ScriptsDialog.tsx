import { Button, Checkbox, TextInput } from '@mantine/core'
import type { Script } from '@muster/contract/api/scripts'
import { IconPlus, IconSearch } from '@tabler/icons-react'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, type ReactNode } from 'react'
import { GuardedDialog, LoadingState } from '../../app/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs.tsx'
import { useDashInfo, useMay } from '../../app/queries.ts'
import { useDialog } from '../../app/use-dialog.ts'
import { Dialog } from '../../ui/Dialog.tsx'
import { EmptyState } from '../../ui/States.tsx'
import { useAddressed } from '../dashboard/use-addressed.ts'
import { ScriptTable } from './ScriptTable.tsx'
import classes from './ScriptsDialog.module.css'
import { allScriptsQuery } from './all-scripts-query.ts'
import { type LibraryView, readLibraryView, showScripts, writeLibraryView } from './library-view.ts'
import { useCommunityScripts } from './use-community-scripts.ts'
import { useScriptAddress } from './use-script-address.ts'

const TITLE = 'Script library'
const TYPING_PAUSE_MS = 250

/** The script library, over the whole window. What it is narrowed to stands in the address. */
export function ScriptsDialog({ close }: AddressedDialogProps) {
  return (
    <GuardedDialog title={TITLE} needs="can_list_scripts" size="full" onClose={close}>
      <Dialog title={TITLE} size="full" onClose={close}>
        <Library />
      </Dialog>
    </GuardedDialog>
  )
}

function Library() {
  const { data: scripts, error, refetch } = useQuery(allScriptsQuery)
  const [view, setView] = useLibraryView()
  const community = useDashInfo()?.show_community_scripts !== false
  const table = useRef<HTMLDivElement>(null)
  const shown = useMemo(() => showScripts(scripts ?? [], view, community), [scripts, view, community])
  return (
    <div className={classes.library}>
      <Tools
        view={view}
        onChange={setView}
        count={scripts === undefined ? undefined : `${shown.length} of ${scripts.length}`}
        onDown={() => table.current?.focus()}
      />
      {scripts === undefined ? (
        <div className={classes.state}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
        </div>
      ) : (
        <ScriptTable
          ref={table}
          scripts={shown}
          sort={view.sort}
          onSort={(column) =>
            setView(
              { ...view, sort: { column, descending: view.sort.column === column && !view.sort.descending } },
              'now',
            )
          }
          empty={<NoScripts scripts={scripts} view={view} onChange={(next) => setView(next, 'now')} />}
        />
      )}
    </div>
  )
}

interface ToolsProps {
  view: LibraryView
  onChange: (view: LibraryView, when?: 'now') => void
  count: string | undefined
  /** The keyboard goes on to the rows. */
  onDown: () => void
}

function Tools({ view, onChange, count, onDown }: ToolsProps) {
  const mayManage = useMay('can_manage_scripts')
  const { openScript } = useScriptAddress()
  const { open } = useDialog()
  const { shown: community, show: showCommunity } = useCommunityScripts()
  return (
    <div className={classes.tools}>
      <TextInput
        className={classes.search ?? ''}
        aria-label="Search scripts"
        placeholder="Search name, category, description"
        leftSection={<IconSearch size={16} stroke={1.75} aria-hidden />}
        maxLength={200}
        value={view.search}
        onChange={(event) => onChange({ ...view, search: event.currentTarget.value })}
        // Whoever goes on from here takes the search along.
        onBlur={() => onChange(view, 'now')}
        onKeyDown={(event) => {
          if (event.key !== 'ArrowDown') return
          event.preventDefault()
          onDown()
        }}
        data-autofocus
      />
      <Checkbox
        label="Community scripts"
        checked={community}
        onChange={(event) => showCommunity(event.currentTarget.checked)}
      />
      <Checkbox
        label="Hidden scripts"
        checked={view.hidden}
        onChange={(event) => onChange({ ...view, hidden: event.currentTarget.checked }, 'now')}
      />
      <div className={classes.right}>
        <span className={classes.dim} role="status">
          {count}
        </span>
        <Button variant="default" onClick={() => open('snippets')}>
          Snippets
        </Button>
        {mayManage && (
          <Button
            leftSection={<IconPlus size={16} stroke={1.75} aria-hidden />}
            onClick={() => openScript('new')}
          >
            New script
          </Button>
        )}
      </div>
    </div>
  )
}

interface NoScriptsProps {
  scripts: readonly Script[]
  view: LibraryView
  onChange: (view: LibraryView) => void
}

function NoScripts({ scripts, view, onChange }: NoScriptsProps) {
  const mayManage = useMay('can_manage_scripts')
  const { openScript } = useScriptAddress()
  if (scripts.length === 0) {
    return (
      <EmptyState message="There are no scripts yet.">
        {mayManage && <Button onClick={() => openScript('new')}>Write the first one</Button>}
      </EmptyState>
    )
  }
  const [message, action]: [string, ReactNode] =
    view.search === ''
      ? [
          'All scripts are hidden.',
          <Button key="show" variant="default" onClick={() => onChange({ ...view, hidden: true })}>
            Show hidden scripts
          </Button>,
        ]
      : [
          `No script fits “${view.search.trim()}”.`,
          <Button key="clear" variant="default" onClick={() => onChange({ ...view, search: '' })}>
            Clear search
          </Button>,
        ]
  return <EmptyState message={message}>{action}</EmptyState>
}

/** On screen at once, in the address after a pause. */
function useLibraryView() {
  const { filter = '' } = useSearch({ strict: false })
  const navigate = useNavigate()
  const write = useCallback(
    (text: string) => {
      if (text === filter) return
      void navigate({
        to: '.',
        search: (old) => ({ ...old, filter: text === '' ? undefined : text }),
        replace: true,
        resetScroll: false,
      })
    },
    [navigate, filter],
  )
  const [text, setText] = useAddressed(filter, write, TYPING_PAUSE_MS)
  const view = useMemo(() => readLibraryView(text), [text])
  const setView = (next: LibraryView, when?: 'now') => setText(writeLibraryView(next) ?? '', when)
  return [view, setView] as const
}
