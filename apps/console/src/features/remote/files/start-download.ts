import type { FileEntry } from '@muster/contract/agent/files'
import { startDownload as askForAddress } from '@muster/contract/api/files'
import { joinRaw } from '@muster/rules/agents/raw-path'
import { call } from '../../../app/api/api.ts'
import { leadsTo } from './file-rows.ts'

/** Streams a file, or a folder as an archive, to disk: nothing is held in memory. */
export async function startDownload(agentId: string, folder: string, entry: FileEntry): Promise<void> {
  const { url } = await call(askForAddress, {
    params: { agent_id: agentId },
    body: { path: joinRaw(folder, entry.raw), archive: leadsTo(entry) === 'folder' },
  })
  const link = document.createElement('a')
  link.href = url
  link.download = ''
  // In the page, or some browsers do nothing.
  document.body.append(link)
  link.click()
  link.remove()
}

/** Why an entry cannot be downloaded. */
export function whyNoDownload(entry: FileEntry): string | undefined {
  const kind = leadsTo(entry)
  if (kind === null) return 'Broken link'
  return kind === 'file' || kind === 'folder' ? undefined : 'Not a regular file'
}
