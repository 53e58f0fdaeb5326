import { Button, FileButton, TextInput } from '@mantine/core'
import { useDebouncedValue, useMediaQuery } from '@mantine/hooks'
import { type FileEntry, MAX_TEXT_BYTES, ROOT_PATH } from '@muster/contract/agent/files'
import type { AgentDetail } from '@muster/contract/api/agents'
import { bytesOfRaw, isWindowsPath, joinRaw, rawOfText, showRaw } from '@muster/rules/agents/raw-path'
import {
  IconArrowRight,
  IconDownload,
  IconEdit,
  IconFolderOpen,
  IconFolderPlus,
  IconPhoto,
  IconRefresh,
  IconSearch,
  IconShieldLock,
  IconTrash,
  IconUpload,
} from '@tabler/icons-react'
import { keepPreviousData, useInfiniteQuery, useMutation, useQueryClient } from '@tanstack/react-query'
import { type ReactNode, useMemo, useRef, useState } from 'react'
import { listFolder } from '@muster/contract/api/files'
import { describeError, isRefused } from '../../../app/api/describe-error.ts'
import { useMay } from '../../../app/api/queries.ts'
import { useFind, useToolLocation } from '../../../app/shell/use-tool-location.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../../ui/layout/States.tsx'
import table from '../../../ui/layout/ListPane.module.css'
import { call } from '../../../app/api/api.ts'
import { queryKey } from '../../../app/api/query-key.ts'
import { ContextMenu } from '../../../ui/dialog/ContextMenu.tsx'
import { DataTable } from '../../../ui/table/DataTable.tsx'
import { divider, type MenuEntry, type Point } from '../../../ui/dialog/menu-entry.ts'
import { ConfirmDialog } from '../../../ui/dialog/ConfirmDialog.tsx'
import classes from './FilesPane.module.css'
import { FileDialogs, type OpenDialog } from './FileDialogs.tsx'
import { UploadList } from './UploadList.tsx'
import { FolderPath } from './FolderPath.tsx'
import { isShownAsImage, leadsTo, sortEntries, trimEnd } from './file-rows.ts'
import { addUpload, startDownload, whyNoDownload } from './upload.ts'
import { FILE_CARD, FILE_COLUMNS_PX, fileColumns } from './file-columns.tsx'

const FORBIDDEN = 'Your role does not allow you to see files of machines.'
const SEARCH_AFTER_MS = 250

/** The files of a machine, folder by folder. */
export function FilesPane({ agent }: { agent: AgentDetail }) {
  const may = useMay('can_manage_files')
  const place = useToolLocation()
  const at = folderOf(place.at)
  const [dialog, setDialog] = useState<OpenDialog>()
  const [search, setSearch] = useFind()
  const [asked] = useDebouncedValue(search.trim(), SEARCH_AFTER_MS)
  const folder = useFolder({
    agentId: agent.agent_id,
    path: at,
    search: asked,
    enabled: may && agent.connected,
  })
  const { query, entries, path, total, isWhole } = folder
  const isWindows = agent.plat === 'windows'
  const isDrives = isWindows && path === ROOT_PATH
  const { mutate: download } = useMutation({
    mutationFn: (entry: FileEntry) => startDownload(agent.agent_id, path, entry),
  })
  const go = (to: string) => place.go(addressOf(to))
  const open = (entry: FileEntry) => {
    const kind = leadsTo(entry)
    if (kind === 'drive') go(entry.raw)
    else if (kind === 'folder') go(joinRaw(path, entry.raw))
    else if (kind === 'file' && isShownAsImage(entry)) setDialog({ what: 'image', entry })
    else if (kind === 'file' && entry.size <= MAX_TEXT_BYTES) setDialog({ what: 'edit', entry })
    else if (kind === 'file') download(entry)
  }
  if (!may || isRefused(query.error)) return <NoPermission message={FORBIDDEN} />
  if (!agent.connected && query.data === undefined)
    return <EmptyState message={`${agent.hostname} is offline. Files appear when it reconnects.`} />
  return (
    <div className={table.pane}>
      <div className={table.tools}>
        <FolderPath path={query.error === null ? path : at} isWindows={isWindows} onOpen={go} />
        <TextInput
          className={table.search ?? ''}
          aria-label="Search this folder"
          placeholder="Filter"
          leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          autoComplete="off"
        />
        <div className={table.sums}>
          <span>
            {isDrives
              ? `${total} ${total === 1 ? 'drive' : 'drives'}`
              : `${total.toLocaleString('en')} in this folder`}
          </span>
          <UploadButton
            agentId={agent.agent_id}
            folder={path}
            entries={entries}
            isWindows={isWindows}
            disabled={query.data === undefined || isDrives}
          />
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconFolderPlus size={14} stroke={1.75} aria-hidden />}
            disabled={query.data === undefined || isDrives}
            onClick={() => setDialog({ what: 'new-folder' })}
          >
            New folder
          </Button>
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconRefresh size={14} stroke={1.75} aria-hidden />}
            loading={query.isFetching}
            onClick={() => void query.refetch()}
          >
            Refresh
          </Button>
        </div>
      </div>
      {query.error !== null ? (
        <ErrorState {...describeError(query.error)} onRetry={() => void query.refetch()} />
      ) : query.data === undefined ? (
        <SkeletonRows rows={8} />
      ) : (
        <FileTable
          entries={entries}
          isWindows={isWindows}
          place={`${at} ${asked}`}
          isWhole={isWhole}
          actions={{ open, download, ask: setDialog }}
          empty={<EmptyState message={asked === '' ? 'Empty folder' : 'No matching files.'} />}
        />
      )}
      {query.hasNextPage && (
        <div className={classes.more}>
          <span>
            The first {entries.length.toLocaleString('en')} of {total.toLocaleString('en')}, by name.
          </span>
          <Button
            variant="default"
            size="compact-sm"
            loading={query.isFetchingNextPage}
            onClick={() => void query.fetchNextPage()}
          >
            Show more
          </Button>
        </div>
      )}
      <UploadList agentId={agent.agent_id} />
      {dialog !== undefined && (
        <FileDialogs open={dialog} agent={agent} folder={path} onClose={() => setDialog(undefined)} />
      )}
    </div>
  )
}

// The address holds a folder as text, `/var/log`, or as bytes if they are no valid text.

/** The folder in the address; the first one without one. */
function folderOf(at: string | undefined): string {
  if (at === undefined) return ROOT_PATH
  if (isFullPath(at)) return rawOfText(trimEnd(at))
  try {
    return isFullPath(showRaw(at)) ? at : ROOT_PATH
  } catch {
    return ROOT_PATH
  }
}

const isFullPath = (text: string): boolean => text.startsWith('/') || isWindowsPath(text)

function addressOf(folder: string): string | undefined {
  if (folder === ROOT_PATH) return undefined
  const text = new TextDecoder().decode(bytesOfRaw(folder))
  return rawOfText(text) === folder ? text : folder
}

/** A folder of a machine, as far as it was loaded. */
function useFolder(given: { agentId: string; path: string; search: string; enabled: boolean }) {
  const { agentId, path, search, enabled } = given
  const query = useInfiniteQuery({
    queryKey: queryKey(listFolder, { params: { agent_id: agentId }, query: { path, search } }),
    queryFn: ({ pageParam, signal }) =>
      call(
        listFolder,
        {
          params: { agent_id: agentId },
          query: { path, search, ...(pageParam === '' ? {} : { after: pageParam }) },
        },
        { signal },
      ),
    initialPageParam: '',
    getNextPageParam: ({ next }) => next,
    placeholderData: keepPreviousData,
    enabled,
    retry: false,
    gcTime: 0,
  })
  const { data } = query
  const entries = useMemo<FileEntry[]>(() => data?.pages.flatMap((part) => part.entries) ?? [], [data])
  const last = data?.pages.at(-1)
  return {
    query,
    entries,
    /** Without links; the first folder until the machine has responded. */
    path: last?.path ?? (path || ROOT_PATH),
    total: last?.total ?? 0,
    isWhole: last !== undefined && last.next === null,
  }
}

interface FileTableProps {
  entries: readonly FileEntry[]
  isWindows: boolean
  /** Changes with the folder and the search. */
  place: string
  /** The whole folder is loaded: any column can sort it. */
  isWhole: boolean
  empty: ReactNode
  actions: FileActions
}

function FileTable({ entries, isWindows, place, isWhole, empty, actions }: FileTableProps) {
  const hasCards = useMediaQuery('(max-width: 600px)', undefined, { getInitialValueInEffect: false })
  const [wanted, setSort] = useState({ column: 'name', descending: false })
  const [selected, setSelected] = useState<string>()
  const [menu, setMenu] = useState<{ entry: FileEntry; at: Point }>()
  const columns = useMemo(() => fileColumns(isWindows), [isWindows])
  const sort = isWhole ? wanted : undefined
  const rows = useMemo(() => (sort === undefined ? entries : sortEntries(entries, sort)), [entries, sort])
  return (
    <div className="pane">
      <DataTable
        label="Files"
        rows={rows}
        rowKey={({ raw }) => raw}
        columns={columns}
        context={undefined}
        rowHeight={28}
        minWidth={FILE_COLUMNS_PX}
        sort={sort}
        onSort={(column) =>
          setSort((before) => ({ column, descending: before.column === column && !before.descending }))
        }
        selected={selected}
        onSelect={(entry) => setSelected(entry?.raw)}
        onOpen={actions.open}
        onDoubleClick={actions.open}
        onMenu={(entry, at) => setMenu({ entry, at })}
        menuOf={(entry) => fileMenu(entry, actions)}
        card={hasCards ? FILE_CARD : undefined}
        scrollKey={place}
        empty={empty}
      />
      {menu !== undefined && (
        <ContextMenu
          label={menu.entry.name}
          at={menu.at}
          entries={fileMenu(menu.entry, actions)}
          onClose={() => setMenu(undefined)}
        />
      )}
    </div>
  )
}

interface UploadButtonProps {
  agentId: string
  folder: string
  entries: readonly FileEntry[]
  isWindows: boolean
  disabled: boolean
}

/** Uploads files of this computer to the folder; existing files are replaced only after a question. */
function UploadButton({ agentId, folder, entries, isWindows, disabled }: UploadButtonProps) {
  const queryClient = useQueryClient()
  // The same file may be chosen again.
  const reset = useRef<() => void>(null)
  const [asked, setAsked] = useState<readonly File[]>([])
  const add = (files: readonly File[], replace: boolean) => {
    for (const file of files) {
      const path = joinRaw(folder, rawOfText(file.name))
      const onDone = () => void queryClient.invalidateQueries({ queryKey: queryKey(listFolder) })
      addUpload({ agentId, path, file, replace, onDone })
    }
  }
  const choose = (files: readonly File[]) => {
    // Windows ignores case.
    const keyOf = ({ name }: { name: string }) => (isWindows ? name.toLowerCase() : name)
    const names = new Set(entries.map(keyOf))
    add(
      files.filter((file) => !names.has(keyOf(file))),
      false,
    )
    setAsked(files.filter((file) => names.has(keyOf(file))))
    reset.current?.()
  }
  return (
    <>
      <FileButton multiple resetRef={reset} onChange={choose}>
        {(props) => (
          <Button
            {...props}
            variant="default"
            size="compact-sm"
            leftSection={<IconUpload size={14} stroke={1.75} aria-hidden />}
            disabled={disabled}
          >
            Upload
          </Button>
        )}
      </FileButton>
      {asked.length > 0 && (
        <ConfirmDialog
          title="Replace existing files?"
          message={`${asked.map(({ name }) => name).join(', ')}: already in the folder.`}
          confirmLabel="Replace"
          danger
          onConfirm={() => {
            add(asked, true)
            setAsked([])
          }}
          onClose={() => setAsked([])}
        />
      )}
    </>
  )
}

interface FileActions {
  open: (entry: FileEntry) => void
  download: (entry: FileEntry) => void
  ask: (dialog: OpenDialog) => void
}

/** The actions on an entry of a folder. */
function fileMenu(entry: FileEntry, { open, download, ask }: FileActions): MenuEntry[] {
  if (entry.kind === 'drive') return [firstEntry(entry, { open, ask })]
  const isFolder = leadsTo(entry) === 'folder'
  return [
    firstEntry(entry, { open, ask }),
    {
      id: 'download',
      label: isFolder ? 'Download as archive' : 'Download',
      icon: IconDownload,
      disabledReason: whyNoDownload(entry),
      run: () => download(entry),
    },
    divider('change'),
    {
      id: 'move',
      label: 'Rename or move',
      icon: IconArrowRight,
      shortcut: 'F2',
      run: () => ask({ what: 'move', entry }),
    },
    {
      id: 'rights',
      label: 'Permissions',
      icon: IconShieldLock,
      disabledReason: entry.kind === 'link' ? 'Links have no permissions.' : undefined,
      run: () => ask({ what: entry.mode === null ? 'access' : 'rights', entry }),
    },
    {
      id: 'delete',
      label: 'Delete',
      icon: IconTrash,
      shortcut: 'Del',
      danger: true,
      run: () => ask({ what: 'delete', entry }),
    },
  ]
}

function firstEntry(entry: FileEntry, { open, ask }: Pick<FileActions, 'open' | 'ask'>): MenuEntry {
  if (['folder', 'drive'].includes(leadsTo(entry) ?? ''))
    return { id: 'open', label: 'Open', icon: IconFolderOpen, shortcut: 'Enter', run: () => open(entry) }
  if (isShownAsImage(entry))
    return { id: 'look', label: 'View', icon: IconPhoto, shortcut: 'Enter', run: () => open(entry) }
  return {
    id: 'edit',
    label: 'View or edit',
    icon: IconEdit,
    shortcut: 'Enter',
    disabledReason: whyNoDownload(entry),
    run: () => ask({ what: 'edit', entry }),
  }
}
