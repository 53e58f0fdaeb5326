import '@fontsource-variable/inter/index.css'
import '@fontsource-variable/jetbrains-mono/index.css'
import './app/mantine-styles.ts'
import './app/global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { z } from 'zod'
import { App } from './app/App.tsx'

// The content security policy allows no eval; without this zod would try it once and the browser would report it.
z.config({ jitless: true })

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with id "root"')
createRoot(root).render(
  <StrictMode>
    <App />
  </StrictMode>,
)
