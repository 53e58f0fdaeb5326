import { Button, TextInput } from '@mantine/core'
import { useDebouncedValue } from '@mantine/hooks'
import { type FileEntry, MOST_TEXT_BYTES } from '@muster/contract/agent/files'
import type { AgentDetail } from '@muster/contract/api/agents'
import { joinRaw } from '@muster/rules/agents/raw-path'
import { IconFolderPlus, IconRefresh, IconSearch } from '@tabler/icons-react'
import { useMutation } from '@tanstack/react-query'
import { useState } from 'react'
import { describeError, isRefused } from '../../../app/api/describe-error.ts'
import { useMay } from '../../../app/api/queries.ts'
import { useFind, usePlace } from '../../../app/shell/use-place.ts'
import { EmptyState, ErrorState, NoPermission, SkeletonRows } from '../../../ui/layout/States.tsx'
import table from '../../../ui/layout/ListPane.module.css'
import classes from './FilesPane.module.css'
import { FileDialogs, type OpenDialog } from './FileDialogs.tsx'
import { FileTable } from './FileTable.tsx'
import { UploadButton } from './UploadButton.tsx'
import { UploadList } from './UploadList.tsx'
import { FolderPath } from './FolderPath.tsx'
import { addressOf, folderOf } from './folder-address.ts'
import { isShownAsImage, leadsTo } from './file-rows.ts'
import { startDownload } from './start-download.ts'
import { useFolder } from './use-folder.ts'

const FORBIDDEN = 'Your role does not allow the files of machines.'
const SEARCH_AFTER_MS = 250

/** The files of a machine, folder by folder. */
export function FilesPane({ agent }: { agent: AgentDetail }) {
  const may = useMay('can_manage_files')
  const place = usePlace()
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
  const { mutate: download } = useMutation({
    mutationFn: (entry: FileEntry) => startDownload(agent.agent_id, path, entry),
  })
  const go = (to: string) => place.go(addressOf(to))
  const open = (entry: FileEntry) => {
    const kind = leadsTo(entry)
    if (kind === 'folder') go(joinRaw(path, entry.raw))
    else if (kind === 'file' && isShownAsImage(entry)) setDialog({ what: 'image', entry })
    else if (kind === 'file' && entry.size <= MOST_TEXT_BYTES) setDialog({ what: 'edit', entry })
    else if (kind === 'file') download(entry)
  }
  if (!may || isRefused(query.error)) return <NoPermission message={FORBIDDEN} />
  if (!agent.connected && query.data === undefined)
    return <EmptyState message={`${agent.hostname} is not connected. Its files are shown once it is back.`} />
  return (
    <div className={table.pane}>
      <div className={table.tools}>
        <FolderPath path={query.error === null ? path : at} onOpen={go} />
        <TextInput
          className={table.search ?? ''}
          aria-label="Search this folder"
          placeholder="Part of a name"
          leftSection={<IconSearch size={14} stroke={1.75} aria-hidden />}
          value={search}
          onChange={(event) => setSearch(event.currentTarget.value)}
          autoComplete="off"
        />
        <div className={table.sums}>
          <span>{total.toLocaleString('en')} in this folder</span>
          <UploadButton
            agentId={agent.agent_id}
            folder={path}
            entries={entries}
            disabled={query.data === undefined}
          />
          <Button
            variant="default"
            size="compact-sm"
            leftSection={<IconFolderPlus size={14} stroke={1.75} aria-hidden />}
            disabled={query.data === undefined}
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
            Read again
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
          place={`${at} ${asked}`}
          isWhole={isWhole}
          actions={{ open, download, ask: setDialog }}
          empty={
            <EmptyState
              message={asked === '' ? 'This folder is empty.' : 'Nothing here has this in its name.'}
            />
          }
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
