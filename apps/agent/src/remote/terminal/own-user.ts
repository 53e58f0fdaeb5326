import { userInfo } from 'node:os'

/** The agent's own user. In some containers its id has no name. */
export function findOwnUser(): { name: string; shell: string | undefined } {
  try {
    const { username, shell } = userInfo()
    return { name: username, shell: shell ?? undefined }
  } catch {
    return { name: String(process.getuid?.() ?? 'agent'), shell: undefined }
  }
}
