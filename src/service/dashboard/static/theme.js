// The theme that the reader chose. It runs before the page is drawn, so that nothing flashes.
const theme = localStorage.getItem('tocsin-theme');
if (theme === 'light' || theme === 'dark') {
  document.documentElement.dataset.theme = theme;
}
