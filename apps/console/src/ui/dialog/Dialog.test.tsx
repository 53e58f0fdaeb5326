import { MantineProvider } from '@mantine/core'
import { useState } from 'react'
import { expect, test } from 'vitest'
import { page } from 'vitest/browser'
import { render } from '../test-render.ts'
import '@mantine/core/styles.css'
import { Dialog } from './Dialog.tsx'

function Opener() {
  const [opened, setOpened] = useState(false)
  return (
    <MantineProvider>
      <button type="button" onClick={() => setOpened(true)}>
        Open
      </button>
      {opened && (
        <Dialog title="Entry" onClose={() => setOpened(false)}>
          <p>Content</p>
        </Dialog>
      )}
    </MantineProvider>
  )
}

test('a dialog that the first click of a double click opens is not closed by the second', async () => {
  const screen = await render(<Opener />)
  await screen.getByRole('button', { name: 'Open' }).dblClick()
  await expect.element(screen.getByText('Content')).toBeVisible()
  // A click beside the dialog, later, closes it.
  await page.elementLocator(document.body).click({ position: { x: 4, y: 4 } })
  await expect.element(screen.getByText('Content')).not.toBeInTheDocument()
})
