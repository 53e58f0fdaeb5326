import { type RefObject, useEffect } from 'react'

/** `/` focuses the search field, except while typing into a field. */
export function useSlashKey(field: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented)
        return
      const { target } = event
      if (
        target instanceof Element &&
        target.closest('input, textarea, select, [contenteditable], [role=dialog]')
      )
        return
      event.preventDefault()
      field.current?.focus()
      field.current?.select()
    }
    document.addEventListener('keydown', onKeyDown)
    return () => document.removeEventListener('keydown', onKeyDown)
  }, [field])
}
