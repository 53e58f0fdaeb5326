import { ShellWish } from '@muster/contract/agent/shells'
import { TerminalJoin } from '@muster/contract/channels'
import { z } from 'zod'

const KeptTab = z.object({
  /** A number, new in this window; the name of a terminal whose shell has given it none. */
  id: z.string().max(10),
  wish: ShellWish,
  /** A colleague's terminal, and whose. */
  joined: z.object({ join: TerminalJoin, username: z.string().max(200) }).optional(),
})
const KeptTabs = z.object({ tabs: z.array(KeptTab).max(50), shown: z.string().max(10) })
export type KeptTab = z.infer<typeof KeptTab>
export type KeptTabs = z.infer<typeof KeptTabs>

const keyOf = (agentId: string) => `muster terminals ${agentId}`

/** The terminals that this window had of a machine, or one new. */
export function readTabs(agentId: string): KeptTabs {
  const stored = sessionStorage.getItem(keyOf(agentId))
  const kept = stored === null ? undefined : KeptTabs.safeParse(JSON.parse(stored)).data
  return kept ?? addTab({ tabs: [], shown: '' })
}

export function storeTabs(agentId: string, tabs: KeptTabs): void {
  sessionStorage.setItem(keyOf(agentId), JSON.stringify(tabs))
}

export function addTab({ tabs }: KeptTabs, more: Pick<KeptTab, 'joined'> = {}): KeptTabs {
  const id = String(Math.max(0, ...tabs.map((tab) => Number(tab.id))) + 1)
  return { tabs: [...tabs, { id, wish: {}, ...more }], shown: id }
}

/** Without this one; its neighbour is shown if it was. */
export function dropTab({ tabs, shown }: KeptTabs, id: string): KeptTabs {
  const at = tabs.findIndex((tab) => tab.id === id)
  const left = tabs.filter((tab) => tab.id !== id)
  const next = left[Math.min(at, left.length - 1)]
  return { tabs: left, shown: shown === id ? (next?.id ?? '') : shown }
}

/** With this one as it is now. */
export function putTab({ tabs, shown }: KeptTabs, changed: KeptTab): KeptTabs {
  return { tabs: tabs.map((tab) => (tab.id === changed.id ? changed : tab)), shown }
}
