import { useNavigate } from '@tanstack/react-router'
import { type ComponentType, useCallback } from 'react'

export interface AddressedDialogProps {
  /** The subject of the dialog: `?dialog=edit-client&item=3`. */
  item: string | undefined
  close: () => void
}

/** Dialogs with an address, so that a copied link opens them; each is loaded on first use. */
export type DialogLoaders = Record<string, () => Promise<ComponentType<AddressedDialogProps>>>

/** Filled in by app/register.ts: names are checked here without importing the features that open dialogs. */
export interface Register {}

export type DialogName = Register extends { dialogs: infer Dialogs } ? keyof Dialogs & string : never

/** Opens and closes dialogs by their address; Back closes them too. */
export function useDialog() {
  const navigate = useNavigate()
  const open = useCallback(
    (dialog: DialogName, item?: string | number, filter?: string) =>
      void navigate({
        to: '.',
        search: (old) => ({
          ...old,
          dialog,
          item: item === undefined ? undefined : `${item}`,
          filter,
        }),
      }),
    [navigate],
  )
  const close = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: undefined, item: undefined, filter: undefined }),
        replace: true,
      }),
    [navigate],
  )
  return { open, close }
}

/** The way between a list dialog and the dialog of one record. What the list is narrowed to stays in the address. */
export function useRecordAddress(list: DialogName, record: DialogName, listItem?: string) {
  const navigate = useNavigate()
  const openRecord = useCallback(
    (item: string | number) =>
      void navigate({ to: '.', search: (old) => ({ ...old, dialog: record, item: `${item}` }) }),
    [navigate, record],
  )
  const openList = useCallback(
    () =>
      void navigate({
        to: '.',
        search: (old) => ({ ...old, dialog: list, item: listItem }),
        replace: true,
      }),
    [navigate, list, listItem],
  )
  return { openRecord, openList }
}
