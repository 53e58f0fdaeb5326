// Runs before the first paint, so that a dark console never flashes white. A file of its own, because the
// content security policy allows no inline script.
;(function () {
  var saved = null
  try {
    saved = localStorage.getItem('mantine-color-scheme-value')
  } catch {
    // Storage is refused: the system's own choice stands.
  }
  var dark = saved === 'dark' || (saved !== 'light' && matchMedia('(prefers-color-scheme: dark)').matches)
  document.documentElement.setAttribute('data-mantine-color-scheme', dark ? 'dark' : 'light')
  document.documentElement.style.backgroundColor = dark ? '#0d1117' : '#f6f7f9'

  // Trusted Types: nothing on the page may turn text into elements or code. The one exception is what the UI kit
  // writes into <style> elements, which is text without any tag.
  if (window.trustedTypes) {
    trustedTypes.createPolicy('default', {
      createHTML: function (text) {
        return /<[a-z!?/]/i.test(text) ? null : text
      },
    })
  }
})()
