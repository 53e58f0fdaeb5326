import { usePaletteSource } from '../../app/shell/palette.ts'
import { type MenuEntry, isMenuItem } from '../../ui/dialog/menu-entry.ts'

/** The actions on the selected machine, for the command palette. */
export function useAgentPalette(
  agent: { hostname: string } | undefined,
  entries: readonly MenuEntry[],
): void {
  usePaletteSource('selected machine', () =>
    agent === undefined
      ? []
      : entries
          .filter(isMenuItem)
          .filter(({ disabledReason }) => disabledReason === undefined)
          .map(({ id, label, run }) => ({
            id: `agent ${id}`,
            group: agent.hostname,
            label,
            words: agent.hostname,
            run,
          })),
  )
}
