import { Button } from '@mantine/core'
import type { Script } from '@muster/contract/api/scripts'
import { useQuery } from '@tanstack/react-query'
import { useNavigate, useSearch } from '@tanstack/react-router'
import { useCallback, useMemo, useRef, type ReactNode } from 'react'
import { GuardedDialog, LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import type { AddressedDialogProps } from '../../app/dialogs/dialogs.tsx'
import { useDashInfo, useMay } from '../../app/api/queries.ts'
import { Dialog } from '../../ui/dialog/Dialog.tsx'
import { EmptyState } from '../../ui/layout/States.tsx'
import { useAddressed } from '../dashboard/use-addressed.ts'
import { ScriptList } from './ScriptList.tsx'
import { ScriptTools } from './ScriptTools.tsx'
import classes from './ScriptsDialog.module.css'
import { allScriptsQuery } from './all-scripts-query.ts'
import { type LibraryView, readLibraryView, showScripts, writeLibraryView } from './library-view.ts'
import { useScriptAddress } from './use-script-address.ts'

const TITLE = 'Script library'
const TYPING_PAUSE_MS = 250
const FIRST_STOP = '[role=grid], [role=treeitem][tabindex="0"]'

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
  const list = useRef<HTMLDivElement>(null)
  const shown = useMemo(() => showScripts(scripts ?? [], view, community), [scripts, view, community])
  return (
    <div className={classes.library}>
      <ScriptTools
        view={view}
        onChange={setView}
        count={scripts === undefined ? undefined : `${shown.length} of ${scripts.length}`}
        onDown={() => list.current?.querySelector<HTMLElement>(FIRST_STOP)?.focus()}
      />
      {scripts === undefined ? (
        <div className={classes.state}>
          <LoadingState error={error} onRetry={() => void refetch()} rows={8} />
        </div>
      ) : (
        <ScriptList
          ref={list}
          scripts={shown}
          searched={view.search.trim() !== ''}
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
