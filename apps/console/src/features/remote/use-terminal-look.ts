import type { DashInfo } from '@muster/contract/api/system'
import { type Preferences, savePreferences } from '@muster/contract/api/users'
import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { call } from '../../app/api/api.ts'
import { dashInfoQuery } from '../../app/api/queries.ts'

export type TerminalLook = Pick<Preferences, 'terminal_font_size' | 'terminal_theme'>

const DEFAULT_LOOK: TerminalLook = { terminal_font_size: 13, terminal_theme: 'dark' }

/** The user's terminal appearance; a change is shown at once and saved. */
export function useTerminalLook(): { look: TerminalLook; change: (changes: Partial<TerminalLook>) => void } {
  const { data } = useQuery(dashInfoQuery)
  const queryClient = useQueryClient()
  const put = (changes: Partial<TerminalLook>) =>
    queryClient.setQueryData(dashInfoQuery.queryKey, (old: DashInfo | undefined) =>
      old === undefined ? old : { ...old, ...changes },
    )
  const { mutate } = useMutation({
    mutationFn: (changes: Partial<TerminalLook>) => call(savePreferences, { body: changes }),
    onMutate: put,
    onError: () => queryClient.invalidateQueries({ queryKey: dashInfoQuery.queryKey }),
  })
  return {
    look: {
      terminal_font_size: data?.terminal_font_size ?? DEFAULT_LOOK.terminal_font_size,
      terminal_theme: data?.terminal_theme ?? DEFAULT_LOOK.terminal_theme,
    },
    change: mutate,
  }
}
