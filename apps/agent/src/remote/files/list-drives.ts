import { statfs } from 'node:fs/promises'
import type { FileEntry, FolderPart } from '@muster/contract/agent/files'
import { loadFileCalls } from '../../os/windows/file-calls.ts'
import { systemWindowsPath, showWindowsPath } from './windows-paths.ts'

/** The drives of Windows, as the root folder. One without a disk has no size. */
export async function listDrives(search: string): Promise<FolderPart> {
  const drives = (await loadFileCalls()).listDrives()
  const entries = await Promise.all(
    drives.map(async ({ drive, label }): Promise<FileEntry> => {
      const names = [Buffer.from(drive)]
      const found = await statfs(systemWindowsPath(names)).catch(() => undefined)
      return {
        raw: showWindowsPath(names).toString('base64url'),
        name: (label === '' ? drive : `${label} (${drive})`).slice(0, 255),
        kind: 'drive',
        size: found === undefined ? 0 : found.blocks * found.bsize,
        modified_ms: 0,
        mode: null,
        attributes: [],
        owner: '',
        group: '',
        target: null,
      }
    }),
  )
  const shown = entries.filter(({ name }) => name.toLowerCase().includes(search))
  return {
    path: showWindowsPath([]).toString('base64url'),
    shown_path: '/',
    entries: shown,
    total: shown.length,
    next: null,
  }
}
