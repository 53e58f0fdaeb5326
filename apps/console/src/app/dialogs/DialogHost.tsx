import { getRouteApi } from '@tanstack/react-router'
import { type ComponentType, type LazyExoticComponent, Suspense, createElement } from 'react'
import { DIALOGS } from '../register.ts'
import { lazyPart } from '../shell/lazy-part.ts'
import { type AddressedDialogProps, type DialogName, useDialog } from './use-dialog.ts'

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

function isDialogName(name: string | undefined): name is DialogName {
  return name !== undefined && Object.hasOwn(DIALOGS, name)
}

type LazyDialog = LazyExoticComponent<ComponentType<AddressedDialogProps>>

function dialogComponent(name: DialogName): LazyDialog {
  const known = components.get(name)
  if (known) return known
  const component = lazyPart<AddressedDialogProps>(DIALOGS[name])
  components.set(name, component)
  return component
}

const components = new Map<DialogName, LazyDialog>()
