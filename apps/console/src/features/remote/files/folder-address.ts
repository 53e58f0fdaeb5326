import { ROOT_PATH } from '@muster/contract/agent/files'
import { bytesOfRaw, rawOfText, showRaw } from '@muster/rules/agents/raw-path'

// A folder stands in the address as people write it, `/var/log`; as its bytes where those are no text.

/** The folder that an address names; the first one where it names none. */
export function folderOf(at: string | undefined): string {
  if (at === undefined) return ROOT_PATH
  if (at.startsWith('/')) return rawOfText(at.replace(/(?<=.)\/+$/, ''))
  try {
    return showRaw(at).startsWith('/') ? at : ROOT_PATH
  } catch {
    return ROOT_PATH
  }
}

export function addressOf(folder: string): string | undefined {
  if (folder === ROOT_PATH) return undefined
  const text = new TextDecoder().decode(bytesOfRaw(folder))
  return rawOfText(text) === folder ? text : folder
}
