import type { DashInfo } from '@muster/contract/api/system'
import { savePreferences } from '@muster/contract/calls/users'
import { type DefaultColor, DEFAULT_COLORS, colorToCss } from '@muster/rules/text/colors'
import { useComputedColorScheme, useMantineColorScheme } from '@mantine/core'
import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useEffect, useEffectEvent } from 'react'
import { call } from '../api/api.ts'
import { dashInfoQuery } from '../api/queries.ts'

/** The CSS variable of each colour setting. */
const COLOR_VARIABLES = {
  loading_bar_color: '--loading-bar',
  dash_info_color: '--dash-info',
  dash_positive_color: '--dash-positive',
  dash_negative_color: '--dash-negative',
  dash_warning_color: '--dash-warning',
} as const satisfies Partial<Record<keyof DashInfo, string>>

const THEME = {
  positive: 'var(--m-positive)',
  negative: 'var(--m-negative)',
  warning: 'var(--m-warning)',
  info: 'var(--m-info)',
}

/** The CSS value of a colour setting; an invalid colour falls back to the default. */
export function userColor(text: string, setting: keyof typeof COLOR_VARIABLES): string {
  const fallback: DefaultColor = DEFAULT_COLORS[setting]
  return colorToCss(text, THEME, fallback)
}

/** Read by public/first-paint.js, before any response. */
const START_PAGE_KEY = 'start_page'

/** Applies the user's colours and scheme whenever they load or change. */
export function useUserLook(info: DashInfo | undefined): void {
  const { setColorScheme } = useMantineColorScheme()
  const dark = info?.dark_mode
  const isDark = useComputedColorScheme('dark') === 'dark'
  useEffect(() => {
    const bar = document.querySelector('meta[name="theme-color"]')
    bar?.setAttribute('content', isDark ? '#12171f' : '#ffffff')
  }, [isDark])
  // Mantine's function is new at each render. Called each time, it would take back what another tab has switched to.
  const apply = useEffectEvent(setColorScheme)
  useEffect(() => {
    if (dark !== undefined) apply(dark ? 'dark' : 'light')
  }, [dark])
  useEffect(() => {
    if (info === undefined) return
    for (const [setting, variable] of Object.entries(COLOR_VARIABLES)) {
      // Object.entries loses the key types.
      const name = setting as keyof typeof COLOR_VARIABLES
      document.documentElement.style.setProperty(variable, userColor(info[name], name))
    }
    if (info.start_page === 'overview') localStorage.setItem(START_PAGE_KEY, info.start_page)
    else localStorage.removeItem(START_PAGE_KEY)
  }, [info])
}

/** Switches dark or light at once and saves it in the background. */
export function useDarkMode(): { dark: boolean; toggle: () => void } {
  const dark = useComputedColorScheme('dark') === 'dark'
  const { setColorScheme } = useMantineColorScheme()
  const queryClient = useQueryClient()
  const show = (value: boolean) => {
    setColorScheme(value ? 'dark' : 'light')
    queryClient.setQueryData(dashInfoQuery.queryKey, (old) => (old ? { ...old, dark_mode: value } : old))
  }
  const { mutate } = useMutation({
    mutationFn: (value: boolean) => call(savePreferences, { body: { dark_mode: value } }),
    onMutate: show,
    onError: (_error, value) => show(!value),
  })
  return { dark, toggle: () => mutate(!dark) }
}
