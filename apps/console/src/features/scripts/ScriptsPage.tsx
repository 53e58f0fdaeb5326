import { Button } from '@mantine/core'
import {
  deleteScript,
  downloadScript,
  editScript,
  listScripts,
  type Script,
} from '@muster/contract/api/scripts'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, type Ref, useCallback, useMemo, useRef, useState } from 'react'
import { useMediaQuery } from '@mantine/hooks'
import { scriptCan } from '@muster/rules/agents/available-actions'
import {
  IconCopy,
  IconDownload,
  IconEye,
  IconEyeOff,
  IconFileCode,
  IconPencil,
  IconStar,
  IconStarOff,
} from '@tabler/icons-react'
import { LoadingState } from '../../app/dialogs/GuardedDialog.tsx'
import { useDialog } from '../../app/dialogs/use-dialog.ts'
import { ListPage, useFind } from '../../app/shell/ListPage.tsx'
import { useDashInfo, useMay } from '../../app/api/queries.ts'
import { allScriptsQuery } from './all-scripts-query.ts'
import { EmptyState } from '../../ui/layout/States.tsx'
import { useAddressed } from '../dashboard/use-dashboard.ts'
import { ContextMenu } from '../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../ui/table/DataTable.tsx'
import type { TableSort } from '../../ui/table/data-column.ts'
import { divider, type MenuEntry, type Point } from '../../ui/dialog/menu-entry.ts'
import { RemoveDialog } from '../../app/dialogs/RemoveDialog.tsx'
import { call } from '../../app/api/api.ts'
import { queryKey } from '../../app/api/query-key.ts'
import { removeAction, unlessAllowed } from '../../app/shell/row-actions.ts'
import { saveFile } from '../../ui/inputs/save-file.ts'
import { ScriptActions, ScriptTools } from './ScriptTools.tsx'
import classes from './Scripts.module.css'
import { type LibraryView, readLibraryView, showScripts, writeLibraryView } from './library-view.ts'
import { useChosenColumns, useTableView } from './library-memory.ts'
import { ScriptFolders } from './ScriptFolders.tsx'
import { leastWidth, SCRIPT_CARD, type ScriptContext, showColumns } from './script-columns.tsx'

const REFUSED = 'Your role does not allow you to see scripts.'
const TYPING_PAUSE_MS = 250
const FIRST_STOP = '[role=grid], [role=treeitem][tabindex="0"]'

/** The script library. The address holds its filter. */
export function ScriptsPage() {
  return (
    <ListPage title="Scripts" needs="can_list_scripts" refused={REFUSED} actions={<ScriptActions />}>
      <Library />
    </ListPage>
  )
}

function Library() {
  const { data: scripts, error, refetch } = useQuery(allScriptsQuery)
  const [view, setView] = useLibraryView()
  const community = useDashInfo()?.show_community_scripts !== false
  const list = useRef<HTMLDivElement>(null)
  const shown = useMemo(() => showScripts(scripts ?? [], view, community), [scripts, view, community])
  return (
    <div className="pane">
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
  const { open } = useDialog()
  if (scripts.length === 0) {
    return (
      <EmptyState message="No scripts yet.">
        {mayManage && <Button onClick={() => open('script', 'new')}>Create script</Button>}
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
          `No scripts match “${view.search.trim()}”.`,
          <Button key="clear" variant="default" onClick={() => onChange({ ...view, search: '' })}>
            Clear search
          </Button>,
        ]
  return <EmptyState message={message}>{action}</EmptyState>
}

/** Applied at once, and written to the address after a pause. */
function useLibraryView() {
  const [find, setFind] = useFind()
  const write = useCallback((text: string) => text !== find && setFind(text), [find, setFind])
  const [text, setText] = useAddressed(find, write, TYPING_PAUSE_MS)
  const view = useMemo(() => readLibraryView(text), [text])
  const setView = (next: LibraryView, when?: 'now') => setText(writeLibraryView(next) ?? '', when)
  return [view, setView] as const
}

const ROW_PX = 32

interface ScriptListProps {
  scripts: readonly Script[]
  searched: boolean
  sort: TableSort
  onSort: (column: string) => void
  empty: ReactNode
  ref: Ref<HTMLDivElement>
}

/** The scripts as a table or in folders, with their menu, clicks and keys. */
function ScriptList({ scripts, searched, sort, onSort, empty, ref }: ScriptListProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const mayManage = useMay('can_manage_scripts')
  const [isTable] = useTableView()
  const [chosen] = useChosenColumns()
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ id: number; at: Point }>()
  const [removed, setRemoved] = useState<Script>()
  const { open } = useDialog()
  const { toggleFavorite, menuOf } = useScriptActions({ mayManage, onRemove: setRemoved })
  const context = useMemo<ScriptContext>(
    () => ({
      toggleFavorite: mayManage ? toggleFavorite : undefined,
      openMenu: ({ id }, at) => {
        setSelected(`${id}`)
        setMenu({ id, at })
      },
    }),
    [mayManage, toggleFavorite],
  )
  const columns = showColumns(chosen)
  const asked = scripts.find(({ id }) => id === menu?.id)
  const openScript = ({ id }: Script) => open('script', id)
  return (
    <div ref={ref} className={classes.list}>
      {isTable ? (
        <DataTable
          label="Scripts"
          rows={scripts}
          rowKey={({ id }) => `${id}`}
          columns={columns}
          context={context}
          rowHeight={ROW_PX}
          minWidth={leastWidth(columns)}
          sort={sort}
          onSort={onSort}
          selected={selected}
          onSelect={(row) => setSelected(row && `${row.id}`)}
          {...(hasCards ? { onClickRow: openScript } : {})}
          onOpen={openScript}
          onDoubleClick={openScript}
          onMenu={({ id }, at) => setMenu({ id, at })}
          card={hasCards ? SCRIPT_CARD : undefined}
          empty={empty}
        />
      ) : (
        <ScriptFolders
          scripts={scripts}
          searched={searched}
          selected={selected}
          onSelect={hasCards ? openScript : ({ id }) => setSelected(`${id}`)}
          onOpen={openScript}
          onMenu={context.openMenu}
          empty={empty}
        />
      )}
      {menu !== undefined && asked !== undefined && (
        <ContextMenu
          label={`Actions on ${asked.name}`}
          at={menu.at}
          entries={menuOf(asked)}
          onClose={() => setMenu(undefined)}
        />
      )}
      {removed !== undefined && <RemoveScriptDialog script={removed} onClose={() => setRemoved(undefined)} />}
    </div>
  )
}

/** Asks before a script is deleted. */
function RemoveScriptDialog({ script, onClose }: { script: Script; onClose: () => void }) {
  return (
    <RemoveDialog
      title={`Delete ${script.name}?`}
      message="Deletes the script. Its runs stay in the history of the machines."
      typed="yes"
      remove={() => call(deleteScript, { params: { id: script.id } })}
      done={`${script.name} deleted.`}
      stale={queryKey(listScripts)}
      onClose={onClose}
    />
  )
}

interface ScriptActionsOptions {
  mayManage: boolean
  onRemove: (script: Script) => void
}

/** The actions of a script in the library. */
function useScriptActions({ mayManage, onRemove }: ScriptActionsOptions) {
  const { open } = useDialog()
  const mark = useMarkScript()
  const download = useMutation({
    mutationFn: (id: number) => call(downloadScript, { params: { id } }),
    onSuccess: ({ filename, code }) => saveFile(filename, code),
  })
  const toggleFavorite = useCallback(({ id, favorite }: Script) => mark({ id, favorite: !favorite }), [mark])
  const menuOf = (script: Script): MenuEntry[] => {
    const { id, favorite, hidden } = script
    const edit = scriptCan.edit(script)
    const remove = scriptCan.remove(script)
    const refused = unlessAllowed(mayManage)
    const mayEdit = mayManage && edit.allowed
    return [
      {
        id: 'open',
        label: mayEdit ? 'Edit' : 'View code',
        icon: mayEdit ? IconPencil : IconFileCode,
        shortcut: 'Enter',
        run: () => open('script', id),
      },
      {
        id: 'clone',
        label: 'Clone',
        icon: IconCopy,
        disabledReason: refused,
        run: () => open('script', `clone.${id}`),
      },
      { id: 'download', label: 'Download', icon: IconDownload, run: () => download.mutate(id) },
      divider('marks'),
      {
        id: 'favorite',
        label: favorite ? 'Remove from favourites' : 'Add to favourites',
        icon: favorite ? IconStarOff : IconStar,
        disabledReason: refused,
        run: () => toggleFavorite(script),
      },
      {
        id: 'hidden',
        label: hidden ? 'Show script' : 'Hide script',
        icon: hidden ? IconEye : IconEyeOff,
        disabledReason: refused,
        run: () => mark({ id, hidden: !hidden }),
      },
      ...removeAction({
        disabledReason: refused ?? (remove.allowed ? undefined : remove.reason),
        run: () => onRemove(script),
      }),
    ]
  }
  return { toggleFavorite, menuOf }
}

/** Favourite and hidden change at once; an error reverts them. */
function useMarkScript() {
  const queryClient = useQueryClient()
  return useMutation({
    mutationFn: ({ id, ...marks }: { id: number; favorite?: boolean; hidden?: boolean }) =>
      call(editScript, { params: { id }, body: marks }),
    onMutate: ({ id, ...marks }) =>
      queryClient.setQueryData(allScriptsQuery.queryKey, (old) =>
        old?.map((script) => (script.id === id ? { ...script, ...marks } : script)),
      ),
    onSettled: () => queryClient.invalidateQueries({ queryKey: allScriptsQuery.queryKey }),
  }).mutate
}
