"""The notebook as a person sees it: JupyterLab and Notebook 7 in a real Chromium."""
