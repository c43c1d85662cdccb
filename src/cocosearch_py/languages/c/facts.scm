; include: c_family/facts
