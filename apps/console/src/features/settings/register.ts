import { IconSettings } from '@tabler/icons-react'
import { useNavigate } from '@tanstack/react-router'
import { useMe } from '../../app/api/queries.ts'
import { usePaletteSource } from '../../app/shell/palette.ts'

/** Finds each setting by its label and help text. */
export function useSettingsSource(): void {
  const me = useMe()
  const navigate = useNavigate()
  usePaletteSource('settings', me !== undefined, async (text) => {
    if (me === undefined || text === '') return []
    const { findSettings, visibleSections } = await import('./settings-sections.ts')
    return findSettings(visibleSections(me), text).map(({ section, field, label, description }) => ({
      id: `setting ${section.name} ${field}`,
      group: 'Settings',
      label,
      icon: IconSettings,
      hint: section.title,
      words: description ?? '',
      run: () =>
        void navigate({ to: '/settings/$section', params: { section: section.name }, search: { field } }),
    }))
  })
}
