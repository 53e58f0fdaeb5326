import type { FileEntry } from '@muster/contract/agent/files'
import { startDownload as askForAddress } from '@muster/contract/api/files'
import { joinRaw } from '@muster/rules/agents/raw-path'
import { call } from '../../../app/api/api.ts'
import { leadsTo } from './file-rows.ts'

/** Has the browser save a file, or a folder as an archive, while it comes: none of it is held in memory. */
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

/** Why there is nothing to download. */
export function whyNoDownload(entry: FileEntry): string | undefined {
  const kind = leadsTo(entry)
  if (kind === null) return 'This link leads to nothing.'
  return kind === 'file' || kind === 'folder' ? undefined : 'It is no file with content.'
}
