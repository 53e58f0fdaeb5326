import './app/no-eval.ts'
import '@fontsource-variable/inter/index.css'
import '@fontsource-variable/jetbrains-mono/index.css'
import './app/mantine-styles.ts'
import './app/global.css'
import { StrictMode } from 'react'
import { createRoot } from 'react-dom/client'
import { App, firstAnswers } from './app/App.tsx'

const root = document.getElementById('root')
if (!root) throw new Error('index.html has no element with id "root"')
// Not awaited at this level: that would make a second file of what is loaded first.
if (import.meta.env.PROD && 'serviceWorker' in navigator) {
  // Fails where the certificate is not trusted: the console works without.
  window.addEventListener('load', () => {
    navigator.serviceWorker.register('/service-worker.js', { updateViaCache: 'none' }).catch(() => undefined)
  })
}
void firstAnswers.then(() =>
  createRoot(root).render(
    <StrictMode>
      <App />
    </StrictMode>,
  ),
)
