import { getRouteApi } from '@tanstack/react-router'
import { Suspense, createElement } from 'react'
import { dialogComponent, isDialogName } from './dialogs.tsx'
import { useDialog } from './use-dialog.ts'

const frame = getRouteApi('/signed-in/gated/frame')

/** Draws the dialog named by the address, over the open page. */
export function DialogHost() {
  const { dialog, item } = frame.useSearch()
  const { close } = useDialog()
  if (!isDialogName(dialog)) return null
  return (
    <Suspense fallback={null}>
      {createElement(dialogComponent(dialog), { key: `${dialog} ${item}`, item, close })}
    </Suspense>
  )
}
